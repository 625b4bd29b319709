package jar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"zipcat.dev/zipfile"
)

// Verify checks the signatures of an archive, as jarsigner -verify and java.util.jar.JarFile do
// (JAR File Specification, "Signed JAR File"): that the blocks META-INF/*.RSA, .DSA and .EC sign the
// .SF files of their names, these the manifest or its sections, and these the contents of entries, all of
// which are read. RSA, RSASSA-PSS, DSA, ECDSA and Ed25519 are known. Where the JVM takes what does not
// fit for unsigned, as a block that cannot be parsed, it is Bad here.
//
// Directories and the files of the signatures themselves are not among the entries that it reports, nor
// are entries of an unsigned archive read. Of several entries of a name each is checked.
//
// The error is that of the archive below (see [zipfile.Entry]), of ctx, or [zipfile.ErrLimit] where
// there are more than 64 blocks. Entries that cannot be decoded are Bad. At most 16,000,000 bytes are
// read of a manifest, .SF file or block; the memory in use is a few times that, and what
// [zipfile.ZipFile.Load] uses.
//
// The findings are of these kinds, besides those of the manifest:
//
//   - weak: a signer uses what is out of date, but counts.
//   - refused: a signer counts as none.
//   - expired: the certificate of a signer is not valid now, and no timestamp tells when it signed.
//   - main-attributes: a signer has not signed the main attributes of the manifest.
//   - no-block: a .SF file has no block.
//   - foreign-signature: a file META-INF/SIG-* is a signature of a kind that is not known.
//   - magic: the section of an entry has the attribute Magic, which no JVM heeds.
//   - outside: bytes that belong to no entry, which no signature covers.
func Verify(ctx context.Context, z *zipfile.ZipFile, o VerifyOptions) (*Verification, error) {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	v := &verifier{z: z, o: &o, result: new(Verification)}
	v.scan()
	if err := v.signatures(ctx); err != nil {
		return nil, err
	}
	if err := v.entries(ctx); err != nil {
		return nil, err
	}
	v.finish()
	return v.result, nil
}

type verifier struct {
	z      *zipfile.ZipFile
	o      *VerifyOptions
	result *Verification
	found  findings

	manifest signedManifest
	files    map[string][]zipfile.Entry // .SF files, by name in upper case without the extension
	blocks   []zipfile.Entry
	rest     []zipfile.Entry // all that is to be reported
	signed   []blockSigners
}

// blockSigners is what the signers of one block cover.
type blockSigners struct {
	signers []*Signer
	cover   *coverage
}

// metaName returns the name in upper case of a file that stands in META-INF itself.
func metaName(name string) (upper string, ok bool) {
	const dir = "META-INF/"
	if len(name) <= len(dir) || !equalFold(name[:len(dir)], dir) || strings.IndexByte(name[len(dir):], '/') >= 0 {
		return "", false
	}
	return strings.ToUpper(name), true
}

// scan sorts the entries.
func (v *verifier) scan() {
	v.files = make(map[string][]zipfile.Entry)
	for e := range v.z.Entries() {
		raw := e.RawName()
		if strings.HasSuffix(raw, "/") {
			continue
		}
		if name, ok := metaName(raw); ok {
			base, ext := name, ""
			if i := strings.LastIndexByte(name, '.'); i >= 0 {
				base, ext = name[:i], name[i+1:]
			}
			switch {
			case equalFold(raw, manifestName):
				continue
			case ext == "SF":
				v.files[base] = append(v.files[base], e)
				continue
			case ext == "RSA", ext == "DSA", ext == "EC":
				v.blocks = append(v.blocks, e)
				continue
			case strings.HasPrefix(name, "META-INF/SIG-") && foreignExtension(ext):
				v.found.add(kindForeign, 0, "%.200q", raw)
				continue
			}
		}
		v.rest = append(v.rest, e)
	}
}

// foreignExtension tells what may stand behind the point of META-INF/SIG-* (JAR File Specification,
// "Signed JAR File").
func foreignExtension(ext string) bool {
	return len(ext) <= 3 && strings.Trim(ext, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// fatal tells whether an error is not that of an entry, but of what is below.
func fatal(err error) bool {
	kind := zipfile.ErrorKind(err)
	return kind == "io" || kind == "changed"
}

// signatures verifies all blocks.
func (v *verifier) signatures(ctx context.Context) error {
	if len(v.blocks) > maxBlocks {
		return fmt.Errorf("%w: %d signature blocks, at most %d are read", zipfile.ErrLimit, len(v.blocks), maxBlocks)
	}
	seen := make(map[string]int)
	for _, e := range v.blocks {
		name, _ := metaName(e.RawName())
		seen[name]++
		seen[name[:strings.LastIndexByte(name, '.')]]++
	}
	for _, base := range slices.Sorted(maps.Keys(v.files)) {
		if seen[base] == 0 {
			v.found.add(kindNoBlock, 0, "%.200q has no signature block", v.files[base][0].RawName())
		}
	}
	if len(v.blocks) == 0 {
		return nil
	}
	manifests := ManifestEntries(v.z)
	if len(manifests) > 1 { // as java.util.jar.JarVerifier
		v.found.add(kindSeveral, 0, "%d manifests in the archive: nothing counts as signed", len(manifests))
		return nil
	}
	if err := v.readManifest(manifests); err != nil {
		return err
	}
	for _, e := range v.blocks {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		name, _ := metaName(e.RawName())
		b := &block{name: e.Name()}
		if b.err = v.readBlock(b, e, v.files[name[:strings.LastIndexByte(name, '.')]]); fatal(b.err) {
			return b.err
		}
		if b.err == nil && seen[name] > 1 {
			b.err = fmt.Errorf("%d signature blocks of this name", seen[name])
		}
		signers, cover := verifyBlock(b, &v.manifest, v.o, &v.found)
		v.result.Signers = append(v.result.Signers, signers...)
		v.signed = append(v.signed, blockSigners{signers, cover})
	}
	return nil
}

// readManifest reads and parses the manifest.
func (v *verifier) readManifest(entries []zipfile.Entry) (err error) {
	m := &v.manifest
	if len(entries) == 0 {
		m.err = ErrNoManifest
		return nil
	}
	if m.text, err = readMeta(entries[0], "manifest"); err == nil {
		m.raw, err = ParseManifest(m.text)
	}
	if err == nil {
		m.seen = m.raw
		if m.raw.unterminated {
			m.seen, err = ParseManifest(withoutCut(m.text))
		}
		v.found.list = append(v.found.list, m.raw.findings...)
	}
	if fatal(err) {
		return err
	}
	if err != nil {
		m.err = fmt.Errorf("manifest: %w", err)
	}
	return nil
}

// readBlock reads a block, and its signature file, which is found by name.
func (v *verifier) readBlock(b *block, e zipfile.Entry, files []zipfile.Entry) (err error) {
	if b.data, err = readMeta(e, "signature block"); err != nil {
		return err
	}
	switch len(files) {
	case 0:
		return nil
	case 1:
		b.sfName = files[0].Name()
		if b.sf, err = readMeta(files[0], "signature file"); fatal(err) {
			return err
		}
		if b.sfErr = err; err == nil && b.sf == nil {
			b.sf = []byte{}
		}
	default:
		b.sfErr = fmt.Errorf("%d signature files of this name", len(files))
	}
	return nil
}

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

// finish adds what is missing, and sums up.
func (v *verifier) finish() {
	r := v.result
	v.missing()
	counts, bad, signed, unsigned := false, false, false, false
	for _, s := range r.Signers {
		counts = counts || s.Counts()
		bad = bad || s.Err != nil
	}
	for i := range r.Entries {
		switch r.Entries[i].State {
		case Bad:
			bad = true
		case Signed:
			signed = true
		case Unsigned:
			unsigned = true
		}
	}
	switch {
	case bad:
		r.State = Bad
	case counts && (signed || !unsigned):
		r.State = Signed
	default:
		r.State = Unsigned
	}
	if len(r.Signers) > 0 {
		v.outside()
	}
	r.Findings = v.found.all()
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

// outside tells which bytes belong to no entry.
func (v *verifier) outside() {
	for _, f := range v.z.Findings() {
		if f.Index < 0 && (f.Kind == "prefix" || f.Kind == "trailing-bytes" || f.Kind == "gap" || f.Kind == "several-end-records") {
			v.found.add(kindOutside, 0, "%s", f.Text)
		}
	}
	if n := len(v.z.Comment()); n > 0 {
		v.found.add(kindOutside, 0, "comment of the archive, %d bytes", n)
	}
	type span struct{ start, end int64 }
	var spans []span
	for e := range v.z.Entries() {
		data, err := e.DataOffset()
		if err != nil {
			continue
		}
		s := span{e.HeaderOffset(), data + e.CompressedSize()}
		if e.Flags()&flagDescriptor != 0 {
			s.end += maxDescriptor
		}
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	end := v.z.Prefix()
	gap := func(next int64) {
		if next > end {
			v.found.add(kindOutside, 0, "%d bytes between entries, at byte %d", next-end, end)
		}
	}
	for _, s := range spans {
		gap(s.start)
		end = max(end, s.end)
	}
	if v.z.Len() > 0 {
		gap(v.z.At(0).CentralHeader().Offset)
	}
}

const (
	flagDescriptor = 1 << 3 // general purpose bit (APPNOTE 4.4.4)

	// maxDescriptor is the size in bytes of the largest data descriptor (APPNOTE 4.3.9). Descriptors
	// are not read: up to 12 bytes behind a smaller one go unnoticed.
	maxDescriptor = 24
)
