package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
)

var commandsExperiment = &experiment{
	name:     "commands",
	summary:  "what people do with archives on a command line, by zipcat and by others",
	defaults: defaults{flags: flagDir, runs: 5},
	tables: func(ctx context.Context, b *harness, o *options) ([]*table, error) {
		p, err := b.findCommands(ctx)
		if err != nil {
			return nil, err
		}
		out, err := b.scratch(o.dir)
		if err != nil {
			return nil, err
		}
		var list []*table
		for _, jar := range o.jars {
			entry, err := someEntry(jar)
			if err != nil {
				return nil, err
			}
			printed, err := p.printed(jar, entry)
			if err != nil {
				return nil, err
			}
			list = append(list, p.listed(jar), p.tested(jar), printed, p.unpacked(jar, out, nil))
		}
		return list, nil
	},
}

// printed is the contents of one entry, by whole processes.
func (p *peers) printed(jar, entry string) (*table, error) {
	t := &table{title: "whole process, contents of one entry of " + jarLine(jar), note: "an entry in the middle of the archive; the last two have no flags, check nothing and only know plain archives: the least\n" +
		"  that a Go program can do, and that one can do which is linked with what zipcat has to be linked with", unit: milliseconds}
	t.program("zipcat cat", true, p.command("zipcat"), "cat", jar, entry)
	t.program("unzip -p", true, p.command("unzip"), "-p", jar, entry)
	t.program("7zz x -so", true, p.command("7zz"), "x", "-so", "-bso0", "-bsp0", jar, entry)
	t.program("bsdtar -xOf", true, p.command("bsdtar"), "-xOf", jar, entry)
	z, err := zipfile.Open(jar, nil)
	if err != nil {
		return nil, err
	}
	if st := z.Structure(); !st.Zip64 && st.Prefix == 0 && st.Tail == 0 {
		t.program("going over the directory, decoding", true, p.command("least"), jar, entry)
		t.program("so, linked with cobra and net/http", true, p.command("least-linked"), jar, entry)
	}
	return t, z.Close()
}

// unpacker adds a contender that unpacks into a directory, which is emptied before each run.
func (t *table) unpacker(name, out, path string, args func(dir string) []string) {
	dir := ""
	t.list = append(t.list, &contender{
		name:   name,
		ours:   strings.HasPrefix(name, "zipcat "),
		whole:  true,
		before: func() (err error) { dir, err = emptied(out); return err },
		cmd: func(ctx context.Context) (*exec.Cmd, error) {
			return exec.CommandContext(ctx, path, args(dir)...), nil
		},
	})
}

// writer adds a contender that only writes the files of a jar, from memory.
func (t *table) writer(out, jar string) {
	dir := ""
	t.list = append(t.list, &contender{
		name:   "writing the files, " + plural(runtime.GOMAXPROCS(0), "goroutine"),
		before: func() (err error) { dir, err = emptied(out); return err },
		cmd: func(ctx context.Context) (*exec.Cmd, error) {
			return childProcess(ctx, job{Experiment: "read", Reader: readWrite, Jars: []string{jar}, Passes: 1, Dir: dir, Backend: backend.Pread})
		},
	})
}

// emptied returns a directory below out that is empty.
func emptied(out string) (string, error) {
	dir := filepath.Join(out, "tree")
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.Mkdir(dir, 0o777)
}

// someEntry returns the name of a file in the middle of a jar that no tool takes for a pattern.
func someEntry(jar string) (string, error) {
	z, err := zipfile.Open(jar, nil)
	if err != nil {
		return "", err
	}
	defer z.Close()
	for i := range z.Len() {
		e := z.At((z.Len()/2 + i) % z.Len())
		if !e.IsDir() && e.Size() > 0 && !strings.ContainsAny(e.Name(), `*?[]{}\$ `) {
			return e.Name(), nil
		}
	}
	return "", fmt.Errorf("%s: %w", filepath.Base(jar), errNothing)
}

// passWrite writes the files of a jar, which are in memory when the clock starts, as a program does
// that takes no care: under their names, into directories that are made first, within the clock.
func passWrite(j job) (t sample, err error) {
	type file struct {
		name string
		data []byte
	}
	var files []file
	dirs := make(map[string]bool)
	err = withZip(j, func(z *zipfile.ZipFile) error {
		for e := range z.Entries() {
			if e.IsDir() {
				continue
			}
			path, err := e.Path()
			if err != nil {
				return err
			}
			data, err := e.ReadAll()
			if err != nil {
				return err
			}
			name := filepath.Join(j.Dir, filepath.FromSlash(path))
			files = append(files, file{name, data})
			dirs[filepath.Dir(name)] = true
		}
		return nil
	})
	if err != nil {
		return t, err
	}
	workers := runtime.GOMAXPROCS(0)
	m := startMeter()
	for dir := range dirs {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return t, err
		}
	}
	var g errgroup.Group
	for w := range workers {
		g.Go(func() error {
			for _, f := range files[len(files)*w/workers : len(files)*(w+1)/workers] {
				if err := os.WriteFile(f.name, f.data, 0o666); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return t, err
	}
	m.stop(&t)
	for _, f := range files {
		t.Entries++
		t.Bytes += int64(len(f.data))
	}
	return t, nil
}
