package ziptest_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"

	"zipcat.dev/zipfile/ziptest"
)

func Example() {
	a := ziptest.Archive{
		Prefix: []byte("#!/bin/sh\n"),
		Entries: []ziptest.Entry{
			{Name: "a.txt", Data: []byte("hello\n")},
			{Name: "b.txt", Data: []byte("hello\n"), Method: ziptest.Deflate,
				Local: func(h *ziptest.LocalHeader) { h.Name = "c.txt" }},
		},
		Comment: "b.txt is c.txt in its local header",
	}
	b := a.Bytes()

	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	fmt.Println(err)
	for _, f := range r.File {
		fmt.Println(f.Name)
	}
	// Output:
	// <nil>
	// a.txt
	// b.txt
}

// A CRC that is wrong in both headers.
func ExampleEntry() {
	b := ziptest.Archive{Entries: []ziptest.Entry{{
		Name:   "a.txt",
		Data:   []byte("hello\n"),
		Header: func(h *ziptest.Header) { h.CRC32 ^= 1 },
	}}}.Bytes()

	r, _ := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	f, _ := r.File[0].Open()
	_, err := io.ReadAll(f)
	fmt.Println(errors.Is(err, zip.ErrChecksum))
	// Output: true
}

// A zip64 end record that contradicts the end record, which keeps the truth.
func ExampleArchive_zip64() {
	img := ziptest.Archive{
		Entries:  []ziptest.Entry{{Name: "a.txt", Data: []byte("hello\n")}},
		Zip64:    ziptest.Zip64Redundant,
		Zip64End: func(r *ziptest.Zip64EndRecord) { r.Entries = 2 },
	}.Build()
	b := img.Bytes()
	fmt.Println(b[img.Zip64End+32], b[img.End+10])
	// Output: 2 1
}

// A header at the first offset that 32 bits cannot tell.
func ExampleImage() {
	img := ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "low.txt", Data: []byte("hello\n")},
		{Name: "high.txt", Data: []byte("hello\n"), At: 0xffffffff},
	}}.Build()
	r, err := zip.NewReader(img, img.Size())
	fmt.Println(len(r.File), err)
	fmt.Println(img.Entry("high.txt").Header)
	// Output:
	// 2 <nil>
	// 4294967295
}

// Damage at a place that the layout tells.
func ExampleLayout() {
	img := ziptest.Archive{Entries: []ziptest.Entry{{Name: "a.txt", Data: []byte("hello\n")}}}.Build()
	b := img.Bytes()
	b[img.Entry("a.txt").Data] = 'j'

	r, _ := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	f, _ := r.File[0].Open()
	text, err := io.ReadAll(f)
	fmt.Printf("%q %v\n", text, err)

	cut := b[:img.End]
	_, err = zip.NewReader(bytes.NewReader(cut), int64(len(cut)))
	fmt.Println(err)
	// Output:
	// "jello\n" zip: checksum error
	// zip: not a valid zip file
}
