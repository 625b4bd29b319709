package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"zipcat.dev/bench/internal/gen"
)

// splitClassPath takes a class path apart and looks whether its parts are files.
func splitClassPath(list string) ([]string, error) {
	var jars []string
	for _, name := range filepath.SplitList(list) {
		if name == "" {
			continue // Java takes it for the current directory, which is no jar
		}
		info, err := os.Stat(name)
		if err != nil {
			return nil, usageError{fmt.Errorf("-cp: %w", err)}
		}
		if info.IsDir() {
			return nil, fmt.Errorf("%s is a directory: only jars are measured", name)
		}
		jars = append(jars, name)
	}
	if len(jars) == 0 {
		return nil, errors.New("no jar in the class path")
	}
	return jars, nil
}

// generatedJar returns a jar of that many classes.
func generatedJar(classes int, seed uint64, stderr io.Writer) (string, error) {
	return cached(fmt.Sprintf("classes-%d-seed%d-v%d.jar", classes, seed, gen.Version), stderr,
		func(w io.Writer) error { return gen.Jar(w, classes, seed) })
}

// cached returns the path of a file in the user's cache directory, which it has write make
// unless it is there from before.
func cached(base string, stderr io.Writer, write func(io.Writer) error) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place for a generated jar (give -cp): %w", err)
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
	f, err := os.CreateTemp(dir, "new-*.jar")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name()) // nothing is there any more when all went well
	err = write(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		// Another bench was first, and has the file open on a system that then does not
		// replace it. Its bytes are the same.
		if _, statErr := os.Stat(name); statErr != nil {
			return "", err
		}
	}
	return name, nil
}
