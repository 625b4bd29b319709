package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeAtomic writes a file that is there whole or not at all, however the program ends. One of that name
// is replaced.
func writeAtomic(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing is there any more when all went well
	err = write(f)
	// CreateTemp's files are for their owner alone; this one is like any other.
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// cachedFile returns the path of base in the user's cache directory; if it is missing, write makes it.
func cachedFile(base string, stderr io.Writer, write func(io.Writer) error) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place for generated archives (give -cp): %w", err)
	}
	dir := filepath.Join(cache, "zipcat", "bench")
	name := filepath.Join(dir, base)
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	fmt.Fprintf(stderr, "writing %s, once\n", name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	if err := writeAtomic(name, write); err != nil {
		// Another bench may have been first, and have the file open on a system that then does
		// not replace it. Its bytes are the same.
		if _, statErr := os.Stat(name); statErr != nil {
			return "", err
		}
	}
	return name, nil
}
