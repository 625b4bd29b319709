package extract_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/extract"
	"zipcat.dev/zipfile/ziptest"
)

func ExampleUnpack() {
	archive := ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "doc/readme.txt", Data: []byte("hello\n")},
		{Name: "../evil.txt", Data: []byte("boo\n")},
	}}
	z, err := zipfile.New(backend.Bytes(archive.Bytes()), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer z.Close()

	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	result, err := extract.Unpack(context.Background(), root, z.Entries(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Files, "file,", result.Bytes, "bytes")
	for _, failed := range result.Failed {
		fmt.Println(failed)
	}
	// Output:
	// 1 file, 6 bytes
	// ../evil.txt: refused: element .. in the name
}
