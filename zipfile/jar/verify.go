package jar

import (
	"context"
	"fmt"
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
// Signatures of Android packages over the file as a whole are another matter, see [ReadAPKSigningBlock].
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
