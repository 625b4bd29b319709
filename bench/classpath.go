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
	return cachedFile(fmt.Sprintf("classes-%d-seed%d-v%d.jar", classes, seed, gen.Version), stderr,
		func(w io.Writer) error { return gen.Jar(w, classes, seed) })
}
