package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"zipcat.dev/backend"
)

var peersExperiment = &experiment{
	name:    "peers",
	summary: "other readers beside ours",
	defaults: defaults{
		flags: flagBackends | flagSuffix | flagWorkers | flagLarge | flagMiB | flagDir, runs: 5, workers: "1,2", suffix: ".class", mib: 1024,
	},
	tables: peersTables,
}

func peersTables(ctx context.Context, b *harness, o *options) ([]*table, error) {
	p, err := b.findPeers(ctx)
	if err != nil {
		return nil, err
	}
	var large string
	if o.large {
		if large, err = largeArchive(o.mib, b.stderr); err != nil {
			return nil, err
		}
	}
	out, err := b.scratch(o.dir)
	if err != nil {
		return nil, err
	}
	var list []*table
	for _, jar := range o.jars {
		list = append(list, p.load(jar, o), p.listed(jar), p.tested(jar), p.unpacked(jar, out, o.workers))
	}
	if large != "" {
		list = append(list, deflatedTable(large, o, p), storedTable(large, o))
	}
	return list, nil
}

// How often a process does its work in one run. Before the last passes of a JVM the code is
// compiled.
const (
	passes    = 3
	passesJVM = 8
)

// load is the whole way from the file to the contents.
func (p *peers) load(jar string, o *options) *table {
	t := &table{
		title: fmt.Sprintf("load of every *%s of %s", o.suffix, jarLine(jar)),
		note:  fmt.Sprintf("a run: %d passes in one process (Java %d), each opens and closes the jar; the fastest counts; CRC-32 checked but where it says no", passes, passesJVM),
		unit:  milliseconds,
	}
	n := strconv.Itoa(passes)
	t.program(p.libdeflateName+", mapped", false, p.libdeflate, "load", o.suffix, n, jar)
	base := job{Experiment: "read", Jars: []string{jar}, Suffix: o.suffix, Passes: passes}
	for _, workers := range o.workers {
		for _, v := range o.variants {
			j := base
			j.Reader, j.Backend, j.Workers = readLoad, v.backend, workers
			t.reader(fmt.Sprintf("zipfile %s, %s", v.label, plural(workers, "goroutine")), true, j)
		}
	}
	for _, name := range []string{readGo, readKlauspostZip} {
		j := base
		j.Reader = name
		t.reader(name, false, j)
	}
	for _, d := range p.drivers {
		t.program(d.name, false, d.path, append(slices.Clone(d.args), "load", o.suffix, n, jar)...)
	}
	jvm := strconv.Itoa(passesJVM)
	for _, j := range p.javas {
		t.program(j.name+" ZipFile, no CRC", false, j.path, "-cp", p.classes, "ZipLoad", o.suffix, jvm, jar)
		t.program(j.name+" ZipFile, CRC", false, j.path, "-cp", p.classes, "ZipLoad", o.suffix, jvm, jar, "crc")
		t.program(j.name+" zipfs, CRC", false, j.path, "-cp", p.classes, "ZipFs", o.suffix, jvm, jar)
	}
	return t
}

// listed is the names of all entries, by whole processes.
func (p *peers) listed(jar string) *table {
	t := &table{title: "whole process, names of all entries of " + jarLine(jar), unit: milliseconds}
	t.program("zipcat ls", true, p.command("zipcat"), "ls", jar)
	t.program("unzip -Z1", true, p.command("unzip"), "-Z1", jar)
	t.program("7zz l, sizes and times too", true, p.command("7zz"), "l", jar)
	t.program("bsdtar -tf", true, p.command("bsdtar"), "-tf", jar)
	t.program("jar tf", true, p.command("jar"), "tf", jar)
	t.program("python3 -m zipfile -l, sizes and times too", true, p.command("python3"), "-m", "zipfile", "-l", jar)
	return t
}

// tested are whole processes that test an archive.
func (p *peers) tested(jar string) *table {
	t := &table{
		title: "whole process, every entry of " + jarLine(jar) + " checked",
		note:  "bsdtar decodes to standard output, which goes nowhere",
		unit:  milliseconds,
	}
	t.program("zipcat test --quiet", true, p.command("zipcat"), "test", "--quiet", jar)
	t.program("unzip -tqq", true, p.command("unzip"), "-tqq", jar)
	t.program("7zz t", true, p.command("7zz"), "t", "-bso0", "-bsp0", jar)
	t.program("bsdtar -xOf", true, p.command("bsdtar"), "-xOf", jar)
	t.program("python3 -m zipfile -t", true, p.command("python3"), "-m", "zipfile", "-t", jar)
	return t
}

// unpacked are whole processes that unpack an archive into an empty directory.
func (p *peers) unpacked(jar, out string, workers []int) *table {
	t := &table{
		title: "whole process, unpacking all entries of " + jarLine(jar),
		note:  "into an empty directory, which is emptied outside the clock; the last, which writes the same files from memory, does not count its start",
		unit:  milliseconds, differ: true,
	}
	into := func(name, path string, args func(dir string) []string) {
		if path != "" {
			t.unpacker(name, out, path, args)
		}
	}
	into("zipcat x", p.command("zipcat"), func(dir string) []string { return []string{"x", "--quiet", "-C", dir, jar} })
	into("unzip -qo", p.command("unzip"), func(dir string) []string { return []string{"-qo", jar, "-d", dir} })
	into("7zz x", p.command("7zz"), func(dir string) []string { return []string{"x", "-y", "-bso0", "-bsp0", "-o" + dir, jar} })
	into("bsdtar -xf", p.command("bsdtar"), func(dir string) []string { return []string{"-xf", jar, "-C", dir} })
	into("python3 -m zipfile -e", p.command("python3"), func(dir string) []string { return []string{"-m", "zipfile", "-e", jar, dir} })
	for _, n := range workers {
		into(fmt.Sprintf("%s, %s", p.fastzipName, plural(n, "goroutine")), p.fastzip, func(dir string) []string {
			return []string{"extract", dir, strconv.Itoa(n), jar}
		})
	}
	t.writer(out, jar)
	return t
}

// maps says whether the file can be mapped here.
func maps(jar string) bool {
	b, err := backend.Open(jar, backend.Mapped)
	if err != nil {
		return false
	}
	b.Close()
	return true
}

// peers are the programs of others on this machine. One that was not found is empty.
type peers struct {
	libdeflate, libdeflateName string
	fastzip, fastzipName       string
	drivers                    []program // that take "load SUFFIX PASSES JAR"
	javas                      []program
	classes                    string // where those in Java are
	commands                   map[string]string
}

type program struct {
	name, path string
	args       []string // before all others
}

func (p *peers) command(name string) string { return p.commands[name] }

// findPeers builds and finds the programs of others, and says what is missing.
func (b *harness) findPeers(ctx context.Context) (*peers, error) {
	w, err := b.workshop()
	if err != nil {
		return nil, err
	}
	p := &peers{classes: w.path(""), commands: make(map[string]string)}
	missing := b.without
	var version string
	if p.libdeflate, version, err = w.driver(ctx, "libdeflate", "libdeflate"); err != nil {
		missing("libdeflate", err)
	}
	p.libdeflateName = "libdeflate " + version
	for _, name := range []string{"zlib", "libzip", "minizip"} {
		path, version, err := w.driver(ctx, name, name)
		if err != nil {
			missing(name, err)
			continue
		}
		p.drivers = append(p.drivers, program{name: version, path: path})
	}
	if python, err := w.python(ctx); err != nil {
		missing("Python", err)
	} else {
		p.drivers = append(p.drivers, python)
	}
	if p.fastzip, p.fastzipName, err = w.driver(ctx, "go", "fastzip"); err != nil {
		missing("fastzip", err)
	}
	if p.javas, err = w.java(ctx); err != nil {
		missing("Java", err)
	}
	p.findCommands(ctx, w, missing)
	return p, nil
}

// findCommands is findPeers for commands alone.
func (b *harness) findCommands(ctx context.Context) (*peers, error) {
	w, err := b.workshop()
	if err != nil {
		return nil, err
	}
	p := &peers{commands: make(map[string]string)}
	p.findCommands(ctx, w, b.without)
	return p, nil
}

func (p *peers) findCommands(ctx context.Context, w *workshop, missing func(what string, err error)) {
	var err error
	for _, c := range []struct{ name, pkg, tags string }{
		{"zipcat", "zipcat.dev/cmd/zipcat", ""}, {"least", "zipcat.dev/bench/internal/least", ""}, {"least-linked", "zipcat.dev/bench/internal/least", "linked"},
	} {
		if p.commands[c.name], err = w.goProgram(ctx, c.name, c.pkg, c.tags); err != nil {
			missing(c.name, err)
		}
	}
	for _, name := range []string{"unzip", "7zz", "bsdtar", "jar", "python3"} {
		if p.commands[name], err = lookPath(name); err != nil {
			missing(name, err)
		}
	}
}

// without says that something is missing.
func (b *harness) without(what string, err error) {
	fmt.Fprintf(b.stdout, "without %s: %v\n", what, err)
}
