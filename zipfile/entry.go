package zipfile

import (
	"io/fs"
	"time"
)

// Entry is one entry of an archive: a small value that says where it stands. Its methods read
// the directory, which is in memory; only DataOffset, LocalHeader, Backend, Open, OpenRaw,
// ReadAll, AppendTo and WriteTo read the file. An Entry stays valid as long as its ZipFile is open and through
// SwitchBackend; what the directory tells can be asked even after Close. All methods may be
// called from several goroutines at once. Entries of one archive may be compared with ==. Methods
// must not be called on the zero Entry.
//
// The methods that read the file fail with a [*FormatError], within an *fs.PathError where the
// archive was opened by path, that wraps: [ErrFormat] where local file header, place, sizes or
// data are wrong, [ErrChecksum], [ErrAlgorithm], [ErrPassword], [ErrLimit], or the backend's
// error, [backend.ErrChanged] with each when the file is no longer what was opened. After Close
// the error wraps fs.ErrClosed. See [ErrorKind].
type Entry struct {
	z *ZipFile
	i uint32
}

func (e Entry) record() record { return e.z.recordAt(int(e.z.pos[e.i])) }

// Index returns the entry's place in the directory, from 0.
func (e Entry) Index() int { return int(e.i) }

// Name returns the name with elements separated by slashes; a directory's ends in one as a
// rule. It is the Unicode Path field if there is a valid one, else the name in the header: as
// it is when it is valid UTF-8, marked so or not, else decoded by Options.Charset. Backslashes
// written on FAT, NTFS and VFAT hosts become slashes where the name has no slash. It is not
// cleaned: it may be absolute, climb, or hold control bytes (see [ZipFile.Findings]). For
// names that need no decoding nothing is allocated.
func (e Entry) Name() string { return e.z.nameAt(e.i) }

// String returns the name, for prints.
func (e Entry) String() string { return e.Name() }

// Named reports whether the name is this one, as e.Name() == name does, in less time: for indexes of
// several archives.
func (e Entry) Named(name string) bool {
	z := e.z
	stored, extra := z.nameAndExtra(int(z.pos[e.i]))
	if stored == name && len(extra) < unicodePathMin && (!isOdd(name) || z.index.asStored.Load()) {
		return true
	}
	return z.nameAt(e.i) == name
}

// Path returns the name as a path below some directory: elements separated by slashes, none
// at the end. Where the name cannot be one, or may mean something else to another program, the
// error says why, without the name, and wraps [ErrInsecurePath].
func (e Entry) Path() (string, error) {
	r := e.record()
	name := e.z.entryName(&r)
	if fault := r.pathFault(name); fault != "" {
		return "", &detail{ErrInsecurePath, fault}
	}
	return pathOf(name), nil
}

// RawName returns the bytes of the name in the central directory header.
func (e Entry) RawName() string {
	d := e.z.dir[e.z.pos[e.i]:]
	return d[centralLen : centralLen+int(le16(d, cenNameLen))]
}

// Comment returns the entry's comment, decoded as names are.
func (e Entry) Comment() string {
	r := e.record()
	return e.z.decodeComment(r.comment)
}

// Size returns the uncompressed size in bytes that the directory declares. No more than that
// is ever given out; less is an error.
func (e Entry) Size() int64 {
	r := e.record()
	return r.size
}

// CompressedSize returns the size in bytes of the data in the archive.
func (e Entry) CompressedSize() int64 {
	r := e.record()
	return r.csize
}

// HeaderOffset returns where the local file header begins, in bytes from the start of the
// file, a prefix included.
func (e Entry) HeaderOffset() int64 {
	r := e.record()
	return r.header
}

// DataOffset returns where the data begin, in bytes from the start of the file. It reads the
// local file header.
func (e Entry) DataOffset() (int64, error) {
	r := e.record()
	s, err := e.z.locate(e.i, &r)
	if err != nil {
		return 0, e.fail("read", &r, err)
	}
	return s.data, nil
}

// CRC32 returns the CRC-32 (IEEE) of the uncompressed contents that the directory declares.
func (e Entry) CRC32() uint32 {
	r := e.record()
	return r.crc
}

// Method returns the compression method.
func (e Entry) Method() Method {
	r := e.record()
	return r.method
}

// Flags returns the general purpose bits (APPNOTE 4.4.4).
func (e Entry) Flags() uint16 {
	r := e.record()
	return r.flags
}

// Encrypted reports whether the contents need a password.
func (e Entry) Encrypted() bool {
	r := e.record()
	return r.flags&(flagEncrypted|flagStrong) != 0
}

// IsDir reports whether the entry is a directory: its name ends in a slash, or it is empty
// and has the directory bit of its host.
func (e Entry) IsDir() bool {
	r := e.record()
	return r.isDir(e.z)
}

// Mode returns type and permissions: those that a Unix or macOS host wrote, else 0644, and
// 0755 for directories.
func (e Entry) Mode() fs.FileMode {
	r := e.record()
	return r.mode(e.z)
}

func (r *record) mode(z *ZipFile) fs.FileMode {
	external := z.external(r)
	mode := fileMode(r.host(), external)
	switch dir := r.isDir(z); {
	case dir == mode.IsDir():
		return mode
	case !dir && external>>16 != 0:
		return mode &^ fs.ModeDir // it has contents
	case !dir:
		return 0o644
	case external>>16 == 0 || r.host() != hostUnix && r.host() != hostMacOS:
		return fs.ModeDir | 0o755
	}
	return fs.ModeDir | mode.Perm()
}

// Modified returns the time of the last change: from the NTFS, extended timestamp or old Unix
// field, else the DOS time, which has no zone and is given as if it were UTC. It is the zero
// time when unknown.
func (e Entry) Modified() time.Time { return e.ModifiedIn(time.UTC) }

// ModifiedIn is Modified with a DOS time taken as one in loc. Times that have a zone are given
// in UTC.
func (e Entry) ModifiedIn(loc *time.Location) time.Time {
	r := e.record()
	return modified(r.extra, le16(e.z.dir, r.pos+cenDate), le16(e.z.dir, r.pos+cenTime), loc)
}

// Extra returns a copy of the extra field of the central directory header.
func (e Entry) Extra() []byte {
	r := e.record()
	return []byte(r.extra)
}
