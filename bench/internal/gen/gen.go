// Package gen writes jars of classes that do not exist but look like real ones: valid class
// files, sized and packed like those of large programs, the same for the same arguments on
// every machine.
//
//	f, err := os.Create("classes.jar")
//	if err != nil {
//		return err
//	}
//	if err := gen.Jar(f, 20_000, 1); err != nil {
//		return err
//	}
//	return f.Close()
package gen

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"
)

// Version changes whenever Jar or Write writes other contents for the same arguments, so that a
// jar kept from before is not taken for a new one.
const Version = 2

// modified is the time of every entry. Its zone is UTC: archive/zip writes local times otherwise.
var modified = time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)

// Options say what Write writes. Their zero value is an empty jar.
type Options struct {
	Entries int      // files beside the manifest and the directories
	Seed    uint64   // where everything that is drawn comes from
	Sizes   Sizes    // the zero value: class files of the sizes that they have in fat jars
	Methods []uint16 // compression methods, zip.Store and zip.Deflate, drawn for each file; none: zip.Deflate
	Depth   int      // directories above each file; 0: as many as packages have
	Level   int      // of compression, 1 to 9; 0: 6
}

// maxDepth keeps names below the 65,535 bytes that a header has room for.
const maxDepth = 1000

// Check says what Write cannot do.
func (o *Options) Check() error {
	switch {
	case o.Entries < 0:
		return fmt.Errorf("%d entries", o.Entries)
	case o.Depth < 0 || o.Depth > maxDepth:
		return fmt.Errorf("depth %d: want 0 to %d", o.Depth, maxDepth)
	case o.Level < 0 || o.Level > 9:
		return fmt.Errorf("level %d: want 1 to 9", o.Level)
	}
	for _, m := range o.Methods {
		if m != zip.Store && m != zip.Deflate {
			return fmt.Errorf("method %d is neither store nor deflate", m)
		}
	}
	return nil
}

// Jar writes a jar of that many classes to w, all deflated.
func Jar(w io.Writer, classes int, seed uint64) error {
	return Write(w, Options{Entries: classes, Seed: seed})
}

// Write writes a jar to w: the manifest first, directories before what is in them. Names and
// contents depend on the options and Version alone; the compressed bytes also on the Go version,
// whose compress/flate makes them.
func Write(w io.Writer, o Options) error {
	if err := o.Check(); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<20)
	a := newArchive(out, o.Level)
	if err := a.add("META-INF/MANIFEST.MF", zip.Deflate, []byte(manifest)); err != nil {
		return err
	}
	u := newUniverse(o.Entries, o.Seed, o.Depth)
	mix := newRandom(o.Seed, 1<<63)
	for i, name := range u.names {
		method := zip.Deflate
		if len(o.Methods) > 0 {
			method = o.Methods[mix.n(len(o.Methods))]
		}
		r := newRandom(o.Seed, uint64(i)+1)
		size := o.Sizes.draw(i, r)
		var data []byte
		if o.Sizes.classes() {
			name += ".class"
			data = u.class(i, size, r)
		} else {
			name += ".properties"
			data = r.lines(size)
		}
		if err := a.add(name, method, data); err != nil {
			return err
		}
	}
	if err := a.zw.Close(); err != nil {
		return err
	}
	return out.Flush()
}

const manifest = "Manifest-Version: 1.0\r\nCreated-By: zipcat.dev/bench\r\n\r\n"

// archive is a jar in the making.
type archive struct {
	zw   *zip.Writer
	dirs map[string]bool
}

func newArchive(w io.Writer, level int) *archive {
	a := &archive{zip.NewWriter(w), map[string]bool{}}
	if level == 0 {
		level = 6
	}
	a.zw.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, level) })
	return a
}

// add adds a file, after the directories that it is in.
func (a *archive) add(name string, method uint16, data []byte) error {
	for at, c := range name {
		if dir := name[:at+1]; c == '/' && dir != "META-INF/" && !a.dirs[dir] {
			a.dirs[dir] = true
			if _, err := a.zw.CreateHeader(&zip.FileHeader{Name: dir, Modified: modified}); err != nil {
				return err
			}
		}
	}
	h := zip.FileHeader{Name: name, Method: method, Modified: modified}
	create := a.zw.CreateHeader
	if method == zip.Store {
		// A stored entry whose size comes after it cannot be read as a stream; jar writes none.
		h.CRC32 = crc32.ChecksumIEEE(data)
		h.CompressedSize64, h.UncompressedSize64 = uint64(len(data)), uint64(len(data))
		h.SetModTime(modified)
		create = a.zw.CreateRaw
	}
	w, err := create(&h)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// Pack writes the contents of files to a jar, deflated as Write does it.
func Pack(w io.Writer, level int, files []*zip.File) error {
	out := bufio.NewWriterSize(w, 1<<20)
	a := newArchive(out, level)
	for _, f := range files {
		r, err := f.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		data, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := a.add(f.Name, zip.Deflate, data); err != nil {
			return err
		}
	}
	if err := a.zw.Close(); err != nil {
		return err
	}
	return out.Flush()
}

// lines returns so many bytes of text, like a file of messages.
func (r random) lines(size int) []byte {
	b := make([]byte, 0, size+200)
	for len(b) < size {
		for i := range r.between(2, 4) {
			if i > 0 {
				b = append(b, '.')
			}
			b = append(b, r.word(words[:60])...)
		}
		b = append(b, '=')
		for range r.between(1, 9) {
			b = append(append(b, r.word(words)...), ' ')
			if r.percent(60) {
				b = append(append(b, r.word(links)...), ' ')
			}
		}
		b[len(b)-1] = '\n'
	}
	return b[:size]
}
