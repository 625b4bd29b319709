package jar

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"time"

	"zipcat.dev/zipfile"
)

// check is how an entry is to be checked.
type check struct {
	entry   int // place in Entries
	digests []wanted
}

type wanted struct {
	digest *digestAlgorithm
	value  []byte
}

// section returns the section of an entry, which the JDK looks for by three names
// (sun.security.util.ManifestEntryVerifier.setEntry).
func (v *verifier) section(name string) (Section, bool) {
	for _, prefix := range []string{"", "./", "/"} {
		if s, ok := v.manifest.seen.Section(prefix + name); ok {
			return s, true
		}
	}
	return Section{}, false
}

// entries decides on all entries, and reads those that are signed.
func (v *verifier) entries(ctx context.Context) error {
	list := make([]VerifiedEntry, len(v.rest))
	checks := make(map[int]check) // by place in the directory
	var load []zipfile.Entry
	for i, e := range v.rest {
		list[i] = VerifiedEntry{Name: e.Name(), Entry: e, State: Unsigned}
		if len(v.signed) == 0 {
			continue
		}
		c := check{entry: i}
		if v.plan(&list[i], &c) {
			checks[e.Index()] = c
			load = append(load, e)
		}
	}
	v.result.Entries = list
	if len(load) == 0 {
		return context.Cause(ctx)
	}
	failed := func(e zipfile.Entry, err error) error {
		if fatal(err) || context.Cause(ctx) != nil {
			return err
		}
		n := &list[checks[e.Index()].entry]
		n.State, n.Signers, n.Err = Bad, nil, err
		return nil
	}
	options := zipfile.LoadOptions{Workers: v.o.Workers, MaxBuffer: maxBuffer, OnError: failed, Large: func(e zipfile.Entry) error {
		c := checks[e.Index()]
		hashes, w := c.start()
		if _, err := e.WriteTo(ctxWriter{ctx, w}); err != nil {
			return failed(e, err)
		}
		c.compare(&list[c.entry], hashes)
		return nil
	}}
	return zipfile.LoadEntries(ctx, load, options, func(e zipfile.Entry, data []byte) error {
		c := checks[e.Index()]
		hashes, w := c.start()
		w.Write(data)
		c.compare(&list[c.entry], hashes) // another one for each entry
		return nil
	})
}

// maxBuffer is the size in bytes from which on entries are not read into memory.
const maxBuffer = 16 << 20

// ctxWriter stops a long entry when the context ends.
type ctxWriter struct {
	ctx context.Context
	w   io.Writer
}

func (w ctxWriter) Write(b []byte) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	return w.w.Write(b)
}

// plan decides on an entry without its contents, and reports whether they are to be checked.
func (v *verifier) plan(n *VerifiedEntry, c *check) bool {
	name := entryName(n.Entry.RawName())
	if err := v.broken(name); err != nil {
		n.State, n.Err = Bad, err
		return false
	}
	if v.manifest.err != nil {
		return false
	}
	section, ok := v.section(name)
	var date time.Time
	dated := true
	for _, s := range v.signed {
		if !s.signers[0].Counts() || !s.cover.names[name] {
			continue
		}
		if !ok || !s.cover.hasSection(section.Name) { // the JDK takes what it finds
			n.State, n.Signers, n.Err = Bad, nil, errors.New("no signed section in the manifest")
			return false
		}
		n.Signers = append(n.Signers, s.signers...)
		for _, signer := range s.signers {
			if signer.Timestamp == nil {
				dated = false
			} else if date.Before(signer.Timestamp.Time) {
				date = signer.Timestamp.Time
			}
		}
	}
	if n.Signers == nil {
		return false
	}
	if raw := n.Entry.RawName(); raw != n.Name {
		// A Unicode Path block, say, which nobody has signed. What is read under that name is something else.
		n.State, n.Signers, n.Err = Bad, nil, fmt.Errorf("was signed as %.200q, as which it stands in the directory", raw)
		return false
	}
	if !dated {
		date = time.Time{}
	}
	known, counts := false, false
	for name, value := range digestsOf(&section.Attributes, "-DIGEST") {
		digest := digestNamed(name)
		if digest == nil {
			continue
		}
		known = true
		permitted := digest.permits(date)
		counts = counts || permitted
		if permitted || fitsAnyway(name) {
			sum, ok := base64Value(value)
			if !ok {
				sum = nil
			}
			c.digests = append(c.digests, wanted{digest, sum})
		}
	}
	if _, magic := section.Lookup("Magic"); magic {
		v.found.add(kindMagic, 0, "%.200q", n.Name)
	}
	switch {
	case !known:
		n.State, n.Signers, n.Err = Bad, nil, errors.New("no digest in the manifest")
		return false
	case !counts: // by weak algorithms only: the JDK takes it for unsigned
		n.Signers, n.Err = nil, fmt.Errorf("%w: digest of the entry", ErrWeak)
		return len(c.digests) > 0
	}
	n.State = Signed
	return true
}

// broken returns why what should sign an entry does not.
func (v *verifier) broken(name string) error {
	for _, s := range v.signed {
		if err := s.signers[0].Err; err != nil && s.cover.listed[name] {
			return err
		}
	}
	return nil
}

// start returns a hash for each digest, and a writer to all.
func (c *check) start() ([]hash.Hash, io.Writer) {
	hashes := make([]hash.Hash, len(c.digests))
	writers := make([]io.Writer, len(c.digests))
	for i, d := range c.digests {
		hashes[i] = d.digest.new()
		writers[i] = hashes[i]
	}
	if len(writers) == 1 {
		return hashes, writers[0]
	}
	return hashes, io.MultiWriter(writers...)
}

// compare decides on an entry by its contents.
func (c *check) compare(n *VerifiedEntry, hashes []hash.Hash) {
	var sum [64]byte
	for i, h := range hashes {
		if !slices.Equal(h.Sum(sum[:0]), c.digests[i].value) {
			n.State, n.Signers = Bad, nil
			n.Err = fmt.Errorf("the contents do not have the %s of the manifest", c.digests[i].digest.name)
			return
		}
	}
}

// missing adds the entries that are signed and not there.
func (v *verifier) missing() {
	if v.manifest.seen == nil || !slices.ContainsFunc(v.signed, func(s blockSigners) bool { return s.signers[0].Counts() }) {
		return
	}
	there := make(map[string]bool, len(v.rest))
	for e := range v.z.Entries() {
		there[entryName(e.RawName())] = true
	}
	for s := range v.manifest.seen.Sections() {
		name := entryName(s.Name)
		if there[name] || there[name+"/"] {
			continue
		}
		digested := false
		for range digestsOf(&s.Attributes, "-DIGEST") {
			digested = true
			break
		}
		if !digested {
			continue // of a package
		}
		var signers []*Signer
		for _, by := range v.signed {
			if by.signers[0].Counts() && by.cover.names[name] && by.cover.hasSection(s.Name) {
				signers = append(signers, by.signers...)
			}
		}
		if signers != nil {
			there[name] = true
			v.result.Entries = append(v.result.Entries, VerifiedEntry{Name: name, State: Missing, Signers: signers})
		}
	}
}
