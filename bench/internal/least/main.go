// Least prints one entry of an archive with as little as a Go program can do for it: no flags, no checks,
// no library but the standard one. It is what starting a process and going through a directory cost, to
// compare "zipcat cat" with.
//
//	least ARCHIVE NAME
//
// It knows archives without zip64 and without anything in front, and trusts them.
package main

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Stdout); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

const (
	endLen     = 22 // end of central directory record (APPNOTE 4.3.16)
	centralLen = 46 // central directory header (4.3.12)
	localLen   = 30 // local file header (4.3.7)
)

var (
	errNone   = errors.New("no such entry")
	errFormat = errors.New("no archive that it knows")
)

// maxExtra is the longest extra field that a local file header may have here, in bytes.
const maxExtra = 1 << 10

func run(archive, name string, w io.Writer) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err != nil {
		return err
	}
	tail := make([]byte, min(st.Size(), endLen+1<<16))
	if _, err := f.ReadAt(tail, st.Size()-int64(len(tail))); err != nil {
		return err
	}
	end := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if end < 0 || len(tail)-end < endLen {
		return errFormat
	}
	size, off := int64(le32(tail[end+12:])), int64(le32(tail[end+16:]))
	header, ok, err := find(f, off, off+size, []byte(name), tail)
	if err != nil {
		return err
	} else if !ok {
		return errNone
	}
	data := make([]byte, localLen+len(name)+maxExtra+int(le32(header[20:])))
	n, err := f.ReadAt(data, int64(le32(header[42:])))
	if err != nil && err != io.EOF {
		return err
	}
	from := localLen + le16(data[26:]) + le16(data[28:])
	if n < localLen || from > localLen+len(name)+maxExtra || from > n {
		return errFormat
	}
	data = data[from:min(n, from+int(le32(header[20:])))]
	if le16(header[10:]) == 0 {
		_, err = w.Write(data)
	} else {
		_, err = io.Copy(w, flate.NewReader(bytes.NewReader(data)))
	}
	return err
}

// find returns the last header of a name in a directory, which it reads through buf.
func find(f *os.File, off, end int64, name, buf []byte) (header [centralLen]byte, ok bool, err error) {
	for off < end {
		b := buf[:min(int64(len(buf)), end-off)]
		if _, err := f.ReadAt(b, off); err != nil {
			return header, ok, err
		}
		pos := 0
		for len(b)-pos >= centralLen {
			h := b[pos:]
			n := le16(h[28:])
			next := centralLen + n + le16(h[30:]) + le16(h[32:])
			if next > len(h) {
				break
			}
			if n == len(name) && bytes.Equal(h[centralLen:centralLen+n], name) {
				ok = true
				copy(header[:], h)
			}
			pos += next
		}
		if pos == 0 {
			break
		}
		off += int64(pos)
	}
	return header, ok, nil
}

func le16(b []byte) int    { return int(binary.LittleEndian.Uint16(b)) }
func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
