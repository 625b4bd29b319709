//go:build ignore

// Command fastzip unpacks a jar with github.com/saracen/fastzip, which checks each CRC-32 and
// sets modes and times as the archive says.
//
//	fastzip extract DIR WORKERS JAR
//	fastzip version
//
// It unpacks every entry below DIR, as many at once as WORKERS says, and prints a line: seconds,
// files, bytes. Directories are made, but not counted. Opening and closing the jar are within the clock.
//
// fastzip is no dependency of zipcat, so this is a module of its own. A directory with a go.mod
// would be left out of what bench embeds, and without one this file would belong to the module
// around it. So go.mod and go.sum have other names here, the tag above keeps the file out of
// "./..." and of go mod tidy, and build-go.sh puts all three together elsewhere.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/saracen/fastzip"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fastzip:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "version":
		fmt.Println("fastzip", version("github.com/saracen/fastzip"))
		return nil
	case len(args) != 4 || args[0] != "extract":
		return errors.New("usage: fastzip extract DIR WORKERS JAR")
	}
	workers, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	start := time.Now()
	files, bytes, err := extract(args[1], workers, args[3])
	if err != nil {
		return err
	}
	fmt.Printf("%.6f %d %d\n", time.Since(start).Seconds(), files, bytes)
	return nil
}

func extract(dir string, workers int, jar string) (files, bytes int64, err error) {
	e, err := fastzip.NewExtractor(jar, dir, fastzip.WithExtractorConcurrency(workers))
	if err != nil {
		return 0, 0, err
	}
	err = e.Extract(context.Background())
	for _, f := range e.Files() {
		if !f.Mode().IsDir() {
			files++
		}
	}
	bytes, _ = e.Written()
	return files, bytes, errors.Join(err, e.Close())
}

func version(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == module {
				return m.Version
			}
		}
	}
	return "of unknown version"
}
