package zipfile

import (
	"io"
	"io/fs"
)

// Structure tells where the parts of an archive lie. Offsets and sizes are in bytes, offsets from the
// start of the file, or of the first of several.
type Structure struct {
	Size          int64 // of the file, or of all parts of a split archive
	Prefix        int64 // what stands before the archive, as ZipFile.Prefix
	Directory     int64 // offset of the central directory (APPNOTE 4.3.12)
	DirectorySize int64
	End           int64 // offset of the end of central directory record (4.3.16)
	Tail          int64 // how many bytes stand behind that record and its comment
	Parts         int   // 1, or of how many files a split archive consists
	Zip64         bool  // zip64 records (4.3.14) say where the directory is
	Rebuilt       bool  // there is no directory that can be used: Options.Recover made one; Directory is Size, End -1
}

// Structure tells where the parts of the archive lie.
func (z *ZipFile) Structure() Structure {
	s := Structure{
		Size: z.backend().Size(), Prefix: z.prefix, Directory: z.dirOffset, DirectorySize: int64(len(z.dir)),
		End: z.endAt, Parts: max(1, len(z.disks)), Zip64: z.zip64, Rebuilt: z.recovered,
	}
	if z.only != nil {
		s.DirectorySize = z.only.dirSize
	}
	if z.recovered {
		s.End, s.DirectorySize, s.Zip64 = -1, 0, false
		return s
	}
	s.Tail = s.Size - z.endStop
	return s
}

// ReadAt implements io.ReaderAt over the bytes of the archive as they are stored, for what stands
// around and between entries. It is safe for concurrent use. After Close it gives fs.ErrClosed.
func (z *ZipFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, z.withPath("read", fs.ErrInvalid)
	}
	size := z.backend().Size()
	n := int(min(int64(len(p)), max(0, size-off)))
	if n > 0 {
		if err := z.readAt(p[:n], off); err != nil {
			return 0, z.withPath("read", err)
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
