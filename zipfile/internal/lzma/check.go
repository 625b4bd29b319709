package lzma

import (
	"bytes"
	"crypto/sha256"
	"hash/crc32"
	"io"
	"slices"
)

// check is the integrity check of an xz stream, section 2.1.1.2 of the format: its kind is a
// number of 4 bits that gives the length as well, so that unknown ones can be passed over.
type check struct {
	kind byte
	h    sum // nil where nothing is checked
}

// sum is what this package needs of a hash.Hash.
type sum interface {
	io.Writer
	Sum(b []byte) []byte
	Reset()
}

const (
	checkCRC32  = 1
	checkCRC64  = 4
	checkSHA256 = 10
)

// open starts a check of a kind, which is below 16.
func (c *check) open(kind byte) {
	if c.kind == kind && c.h != nil {
		c.h.Reset()
		return
	}
	c.kind, c.h = kind, nil
	switch kind {
	case checkCRC32:
		c.h = crc32.NewIEEE()
	case checkCRC64:
		c.h = &ecma64{t: crc64Table()}
	case checkSHA256:
		c.h = sha256.New()
	}
}

// size is the length of the check in the file, in bytes: 0, 4, 4, 4, 8, 8, 8, 16 ... 64.
func (c *check) size() int {
	if c.kind == 0 {
		return 0
	}
	return 4 << ((c.kind - 1) / 3)
}

func (c *check) update(p []byte) {
	if c.h != nil {
		c.h.Write(p)
	}
}

// holds compares what was seen with the bytes in the file.
func (c *check) holds(want []byte) bool {
	if c.h == nil {
		return true
	}
	var room [sha256.Size]byte
	got := c.h.Sum(room[:0])
	if c.kind != checkSHA256 { // numbers are little-endian in the file
		slices.Reverse(got)
	}
	return bytes.Equal(got, want)
}
