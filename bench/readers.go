package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
	kzip "github.com/klauspost/compress/zip"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
)

// Names of the readers that bench has itself.
const (
	readLoad           = "zipfile.Load"
	readOpen           = "zipfile.Open"
	readGo             = "archive/zip"
	readKlauspostZip   = "klauspost/compress/zip"
	readKlauspostFlate = "klauspost/compress/flate"
	readRead           = "read and crc32"
	readCopy           = "copy and crc32"
	readWrite          = "write"
)

// readers open the jar of a job, read the entries that it names and close the jar. Each checks
// the CRC-32 of what it reads.
var readers = map[string]func(job) (sample, error){
	readLoad:           passLoad,
	readOpen:           passOpen,
	readGo:             passGo,
	readKlauspostZip:   passKlauspost,
	readKlauspostFlate: passFlate,
	readRead:           passRead,
	readCopy:           passCopy,
	readWrite:          passWrite,
}

// readPasses does the passes of a job and prints a sample for each.
func readPasses(j job, stdout io.Writer) error {
	read := readers[j.Reader]
	if read == nil || len(j.Jars) != 1 {
		return fmt.Errorf("job: no reader %q of %s", j.Reader, plural(len(j.Jars), "jar"))
	}
	for range j.Passes {
		m := startMeter()
		t, err := read(j)
		if err != nil {
			return err
		}
		if t.Wall == 0 { // the reader had nothing to prepare
			m.stop(&t)
		}
		if err := encode(stdout, t); err != nil {
			return err
		}
	}
	return nil
}

// withZip opens the jar of a job for fn.
func withZip(j job, fn func(*zipfile.ZipFile) error) error {
	z, err := zipfile.Open(j.Jars[0], &zipfile.Options{Backend: j.Backend})
	if err != nil {
		return err
	}
	if err = uses(z, j.Backend, j.Jars[0]); err == nil {
		err = fn(z)
	}
	return errors.Join(err, z.Close())
}

// wants says whether a job is about the entry.
func (j *job) wants(e zipfile.Entry) bool { return !e.IsDir() && strings.HasSuffix(e.Name(), j.Suffix) }

func passLoad(j job) (sample, error) {
	var entries, size atomic.Int64
	err := withZip(j, func(z *zipfile.ZipFile) error {
		return z.Load(context.Background(), zipfile.LoadOptions{
			Workers: j.Workers,
			Match:   j.wants,
			Large: func(e zipfile.Entry) error {
				n, err := e.WriteTo(io.Discard)
				entries.Add(1)
				size.Add(n)
				return err
			},
		}, func(e zipfile.Entry, data []byte) error {
			entries.Add(1)
			size.Add(int64(len(data)))
			return nil
		})
	})
	return sample{Entries: entries.Load(), Bytes: size.Load()}, err
}

// streamed is how many bytes all readers ask for at once of an entry that they read as a stream: io.Copy would take
// pieces as large as each gives them.
const streamed = 128 << 10

func passOpen(j job) (t sample, err error) {
	buf := make([]byte, streamed)
	err = withZip(j, func(z *zipfile.ZipFile) error {
		for e := range z.Entries() {
			if !j.wants(e) {
				continue
			}
			r, err := e.Open()
			if err != nil {
				return err
			}
			n, err := drain(r, buf)
			if err := errors.Join(err, r.Close()); err != nil {
				return err
			}
			t.Entries++
			t.Bytes += n
		}
		return nil
	})
	return t, err
}

// drain reads r to its end and returns how many bytes that were.
func drain(r io.Reader, buf []byte) (int64, error) {
	var sum int64
	for {
		n, err := r.Read(buf)
		sum += int64(n)
		if err == io.EOF {
			return sum, nil
		}
		if err != nil {
			return sum, err
		}
	}
}

func passGo(j job) (t sample, err error) {
	z, err := zip.OpenReader(j.Jars[0])
	if err != nil {
		return t, err
	}
	var buf []byte
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, j.Suffix) && !strings.HasSuffix(f.Name, "/") {
			if buf, err = t.read(f.Open, f.UncompressedSize64, buf); err != nil {
				return t, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	return t, z.Close()
}

func passKlauspost(j job) (t sample, err error) {
	z, err := kzip.OpenReader(j.Jars[0])
	if err != nil {
		return t, err
	}
	var buf []byte
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, j.Suffix) && !strings.HasSuffix(f.Name, "/") {
			if buf, err = t.read(f.Open, f.UncompressedSize64, buf); err != nil {
				return t, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	return t, z.Close()
}

// read reads one entry into buf, which it returns, larger where need be. That and the next read
// being the end is the fastest way to the contents that these packages have: the CRC-32 is
// checked at the end.
func (t *sample) read(open func() (io.ReadCloser, error), size uint64, buf []byte) ([]byte, error) {
	if uint64(len(buf)) <= size {
		buf = make([]byte, size+1)
	}
	r, err := open()
	if err != nil {
		return buf, err
	}
	n, err := io.ReadFull(r, buf[:size+1])
	switch {
	case err == nil:
		err = errors.New("longer than declared")
	case uint64(n) == size && (err == io.ErrUnexpectedEOF || err == io.EOF):
		err = nil
	}
	t.Entries++
	t.Bytes += int64(n)
	return buf, errors.Join(err, r.Close())
}

// passFlate decodes as a stream with the decoder of klauspost/compress.
func passFlate(j job) (t sample, err error) {
	buf := make([]byte, streamed)
	err = withZip(j, func(z *zipfile.ZipFile) error {
		for e := range z.Entries() {
			if !j.wants(e) {
				continue
			}
			raw, err := e.OpenRaw()
			if err != nil {
				return err
			}
			crc := crc32.NewIEEE()
			r := flate.NewReader(bufio.NewReaderSize(raw, streamed))
			n, err := drain(io.TeeReader(r, crc), buf)
			if err == nil && crc.Sum32() != e.CRC32() {
				err = fmt.Errorf("%s: wrong CRC-32", e.Name())
			}
			if err != nil {
				return err
			}
			t.Entries++
			t.Bytes += n
		}
		return nil
	})
	return t, err
}

// storedEntry finds the one entry of a job, which must be stored. That zipfile does it is
// nothing beside the rest.
func storedEntry(j job) (off, size int64, sum uint32, err error) {
	found := 0
	err = withZip(j, func(z *zipfile.ZipFile) error {
		for e := range z.Entries() {
			if !j.wants(e) {
				continue
			}
			if found++; e.Method() != zipfile.Store || found > 1 {
				break
			}
			size, sum = e.Size(), e.CRC32()
			off, err = e.DataOffset()
			return err
		}
		return errors.New("copy: wants a stored entry")
	})
	return off, size, sum, err
}

// passRead is what a stored entry costs at least through a backend: its bytes are read piece by
// piece and their CRC-32 computed.
func passRead(j job) (t sample, err error) {
	off, size, sum, err := storedEntry(j)
	if err != nil {
		return t, err
	}
	b, err := backend.Open(j.Jars[0], j.Backend)
	if err != nil {
		return t, err
	}
	t, err = copyAndSum(b, off, size, sum)
	return t, errors.Join(err, b.Close())
}

// passCopy is passRead from memory that holds the file before the clock starts.
func passCopy(j job) (t sample, err error) {
	off, size, sum, err := storedEntry(j)
	if err != nil {
		return t, err
	}
	file, err := os.ReadFile(j.Jars[0])
	if err != nil {
		return t, err
	}
	m := startMeter()
	t, err = copyAndSum(bytes.NewReader(file), off, size, sum)
	m.stop(&t)
	return t, err
}

func copyAndSum(r io.ReaderAt, off, size int64, sum uint32) (sample, error) {
	t := sample{Entries: 1}
	buf := make([]byte, streamed)
	var crc uint32
	for t.Bytes < size {
		n, err := r.ReadAt(buf[:min(streamed, size-t.Bytes)], off+t.Bytes)
		if err != nil {
			return t, err
		}
		crc = crc32.Update(crc, crc32.IEEETable, buf[:n])
		t.Bytes += int64(n)
	}
	if crc != sum {
		return t, errors.New("copy: wrong CRC-32")
	}
	return t, nil
}
