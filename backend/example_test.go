package backend_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"zipcat.dev/backend"
)

func exampleFile() (name string, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	name = filepath.Join(dir, "app.jar")
	if err := os.WriteFile(name, []byte("PK\x05\x06 and so on"), 0o600); err != nil {
		log.Fatal(err)
	}
	return name, func() { os.RemoveAll(dir) }
}

func Example() {
	name, remove := exampleFile()
	defer remove()

	b, err := backend.Open(name, backend.Pread)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	var magic [4]byte
	if _, err := b.ReadAt(magic[:], 0); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q through %v\n", magic, backend.Describe(b).Name)
	// Output: "PK\x05\x06" through pread
}

// A program that may not map files yet opens them all the same, and moves to
// another backend once it may.
func ExampleAllowMapping() {
	name, remove := exampleFile()
	defer remove()

	backend.AllowMapping(false)
	early, err := backend.Open(name, backend.Mapped)
	if err != nil {
		log.Fatal(err)
	}
	info := backend.Describe(early)
	fmt.Printf("asked for %v, got %v: %s\n", info.Asked, info.Kind, info.Reason)

	backend.AllowMapping(true)
	b, err := backend.Reopen(early, backend.Auto)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	if err := early.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Size(), "bytes")
	// Output:
	// asked for mapped, got pread: mapping is not allowed yet
	// 14 bytes
}

func ExampleSection() {
	whole := backend.Bytes([]byte("outer[inner]outer"))
	inner, err := backend.Section(whole, 6, 5)
	if err != nil {
		log.Fatal(err)
	}
	p := make([]byte, inner.Size())
	if _, err := inner.ReadAt(p, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, %s\n", p, backend.Describe(inner).Reason)
	// Output: inner, part of a memory backend (given as bytes)
}
