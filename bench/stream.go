package main

import (
	"context"
	"fmt"

	"zipcat.dev/backend"
)

var streamExperiment = &experiment{
	name:     "stream",
	summary:  "read one large entry as a stream, CRC-32 checked",
	defaults: defaults{flags: flagBackends | flagMiB, runs: 10, mib: 64, noJars: true},
	tables: func(_ context.Context, b *harness, o *options) ([]*table, error) {
		archive, err := largeArchive(o.mib, b.stderr)
		if err != nil {
			return nil, err
		}
		return []*table{deflatedTable(archive, o, nil), storedTable(archive, o)}, nil
	},
}

// passesLarge is how often a process reads a large entry.
const passesLarge = 2

// largeNote says how large entries are read.
func largeNote() string {
	return fmt.Sprintf("a run: %d passes in one process, the fastest counts; read in pieces of %d KiB", passesLarge, streamed>>10)
}

// deflatedTable is one large entry that is decoded, by peers too, which may be nil.
func deflatedTable(archive string, o *options, p *peers) *table {
	t := &table{
		title:  fmt.Sprintf("one deflated entry of %d MiB, CRC-32 checked", o.mib),
		note:   largeNote(),
		unit:   milliseconds,
		single: true, compare: p == nil,
	}
	if p != nil {
		t.note += "; libdeflate decodes into one buffer of the size of the entry,\n" +
			"  touched before the clock starts or, \"with its buffer\", allocated within; the others stream"
		n := fmt.Sprint(passesLarge)
		t.program(p.libdeflateName, false, p.libdeflate, "crc", largeDeflated, n, archive)
		t.program(p.libdeflateName+", with its buffer", false, p.libdeflate, "load", largeDeflated, n, archive)
	}
	base := job{Experiment: "read", Jars: []string{archive}, Suffix: largeDeflated, Passes: passesLarge}
	for _, v := range o.variants {
		j := base
		j.Reader, j.Backend = readOpen, v.backend
		t.reader("zipfile "+v.label, true, j)
	}
	base.Reader, base.Backend = readKlauspostFlate, backend.Pread
	t.reader(readKlauspostFlate, false, base)
	return t
}

// storedTable is one large entry that is copied.
func storedTable(archive string, o *options) *table {
	t := &table{
		title:  fmt.Sprintf("one stored entry of %d MiB, CRC-32 checked", o.mib),
		note:   largeNote(),
		unit:   milliseconds,
		single: true,
	}
	base := job{Experiment: "read", Jars: []string{archive}, Suffix: largeStored, Passes: passesLarge, Backend: backend.Pread}
	base.Reader = readCopy
	t.reader(readCopy+", memory to memory", false, base)
	for _, v := range o.variants {
		j := base
		j.Backend, j.Reader = v.backend, readRead
		t.reader(readRead+", "+v.label, false, j)
		j.Reader = readOpen
		t.reader("zipfile "+v.label, true, j)
	}
	return t
}
