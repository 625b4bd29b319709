package jar

import (
	"bytes"
	"context"
	"encoding/asn1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"zipcat.dev/zipfile"
)

// APKSigner is a signer of an Android package by one of the schemes v2, v3 and v3.1.
type APKSigner struct {
	Scheme         string         // "v2", "v3", "v3.1"
	Certificates   []*Certificate // the signer's first
	Algorithms     []string       // of its signatures that were verified, as "SHA256withRSA"
	MinSDK, MaxSDK uint32         // releases of Android that it is for; of v3 and v3.1

	// Err is why it does not fit; nil: the file is the one that was signed, but for the block. It
	// wraps errors.ErrUnsupported where no signature is by a known algorithm.
	Err error
}

// What a block may hold.
const (
	maxAPKValue   = 4 << 20 // bytes of an element with signatures
	maxAPKSigners = 10      // as apksig
	apkChunk      = 1 << 20 // bytes of the pieces that are digested
)

// Verify verifies all signatures of the schemes v2, v3 and v3.1 over the file, which is read once
// (source.android.com, "APK Signature Scheme v2", "... v3"). z is the archive that the block was read from.
// That a scheme of a higher number was not taken away, and whether a certificate is to be trusted, is not
// checked; digests of fs-verity are not known. The error is that of [zipfile.ZipFile.ReadAt] or the cause of
// ctx, or wraps [zipfile.ErrFormat] or [zipfile.ErrLimit] where a scheme's element cannot be read at all.
func (b *APKSigningBlock) Verify(ctx context.Context, z *zipfile.ZipFile) ([]APKSigner, error) {
	var signers []APKSigner
	var parsed []*apkSigner
	for _, p := range b.Pairs {
		scheme := p.Name()
		if scheme != "v2" && scheme != "v3" && scheme != "v3.1" {
			continue
		}
		if p.Size > maxAPKValue {
			return nil, fmt.Errorf("%w: APK signatures of %d bytes, at most %d are read", zipfile.ErrLimit, p.Size, maxAPKValue)
		}
		value := make([]byte, p.Size)
		if _, err := z.ReadAt(value, p.Offset); err != nil {
			return nil, err
		}
		list, err := prefixedList(value)
		switch {
		case err != nil:
			return nil, err
		case len(list) == 0:
			return nil, apkError("%s without signers", scheme)
		case len(parsed)+len(list) > 3*maxAPKSigners:
			return nil, fmt.Errorf("%w: more than %d APK signers", zipfile.ErrLimit, 3*maxAPKSigners)
		}
		for _, raw := range list {
			s := &apkSigner{APKSigner: APKSigner{Scheme: scheme}}
			s.Err = s.verify(raw)
			parsed = append(parsed, s)
		}
	}
	want := make(map[*digestAlgorithm]bool)
	for _, s := range parsed {
		for d := range s.digests {
			want[d] = true
		}
	}
	sums, err := b.contentDigests(ctx, z, want)
	if err != nil {
		return nil, err
	}
	for _, s := range parsed {
		for d, value := range s.digests {
			if s.Err == nil && !bytes.Equal(sums[d], value) {
				s.Err = errors.New("the file does not have the digest that was signed")
			}
		}
		signers = append(signers, s.APKSigner)
	}
	return signers, nil
}

// apkAlgorithm is a signature algorithm of APK signatures.
type apkAlgorithm struct {
	id        uint32
	signature algorithmIdentifier
	digest    string
}

var apkAlgorithms = sync.OnceValue(func() []apkAlgorithm {
	return []apkAlgorithm{
		{0x0101, pssIdentifier("SHA-256", 32), "SHA-256"},
		{0x0102, pssIdentifier("SHA-512", 64), "SHA-512"},
		{0x0103, algorithmIdentifier{oid: oidRSA}, "SHA-256"},
		{0x0104, algorithmIdentifier{oid: oidRSA}, "SHA-512"},
		{0x0201, algorithmIdentifier{oid: oidEC}, "SHA-256"},
		{0x0202, algorithmIdentifier{oid: oidEC}, "SHA-512"},
		{0x0301, algorithmIdentifier{oid: oidDSA}, "SHA-256"},
	}
})

// pssIdentifier gives RSASSA-PSS with its parameters (RFC 4055, 3.1).
func pssIdentifier(digest string, salt byte) algorithmIdentifier {
	oid := func(oid asn1.ObjectIdentifier) []byte {
		b, _ := asn1.Marshal(oid) // of a constant: no error
		return b
	}
	element := func(tag byte, parts ...[]byte) []byte {
		b := slices.Concat(parts...)
		return append(header(tag, len(b)), b...)
	}
	h := element(0x30, oid(digestNamed(digest).oid))
	return algorithmIdentifier{oidPSS, element(0x30, element(0xa0, h), element(0xa1, element(0x30, oid(oidMGF1), h)),
		element(0xa2, []byte{asn1.TagInteger, 1, salt}))}
}

// apkSigner is a signer, and the digests of the file that it has signed.
type apkSigner struct {
	APKSigner
	digests map[*digestAlgorithm][]byte
}

// verify checks the signatures of what a signer has signed, and reads the digests in it.
func (s *apkSigner) verify(raw prefixed) error {
	signed, err := raw.next()
	if err != nil {
		return err
	}
	v3 := s.Scheme != "v2"
	if v3 {
		if s.MinSDK, s.MaxSDK, err = raw.releases(); err != nil {
			return err
		}
	}
	signatures, err := raw.numbered()
	if err != nil {
		return err
	}
	spki, err := raw.next()
	if err != nil {
		return err
	}
	holder := new(Certificate)
	if err := holder.publicKeyInfo(der(spki)); err != nil {
		return err
	}
	key, err := holder.publicKey()
	if err != nil {
		return err
	}
	var known []apkAlgorithm
	for _, sig := range signatures {
		i := slices.IndexFunc(apkAlgorithms(), func(a apkAlgorithm) bool { return a.id == sig.id })
		if i < 0 {
			continue
		}
		a := apkAlgorithms()[i]
		info := &signerInfo{signature: a.signature, value: sig.value}
		digest := digestNamed(a.digest)
		if err := key.verify(info, digest, signed); err != nil {
			return err
		}
		known = append(known, a)
		s.Algorithms = append(s.Algorithms, signatureName(info, digest))
	}
	if known == nil {
		return fmt.Errorf("APK signature algorithms: %w", errors.ErrUnsupported)
	}
	return s.readSigned(prefixed(signed), signatures, spki, known, v3)
}

// readSigned reads what was signed: digests, certificates, and releases.
func (s *apkSigner) readSigned(in prefixed, signatures []numberedValue, spki []byte, known []apkAlgorithm, v3 bool) error {
	digests, err := in.numbered()
	if err != nil {
		return err
	}
	sameID := func(a, b numberedValue) bool { return a.id == b.id }
	if !slices.EqualFunc(digests, signatures, sameID) {
		return apkError("signatures by other algorithms than those that were signed")
	}
	list, err := in.next()
	if err != nil {
		return err
	}
	certificates, err := prefixed(list).all()
	if err != nil {
		return err
	}
	if len(certificates) == 0 || len(certificates) > maxCertificates {
		return apkError("%d certificates", len(certificates))
	}
	for _, b := range certificates {
		c, err := parseCertificate(b)
		if err != nil {
			return fmt.Errorf("certificate %d: %w", len(s.Certificates)+1, err)
		}
		s.Certificates = append(s.Certificates, c)
	}
	if !bytes.Equal(s.Certificates[0].spki, spki) {
		return apkError("the key is not that of the certificate")
	}
	if v3 {
		lowest, highest, err := in.releases()
		if err != nil {
			return err
		}
		if lowest != s.MinSDK || highest != s.MaxSDK {
			return apkError("other releases of Android than those that were signed")
		}
	}
	s.digests = make(map[*digestAlgorithm][]byte)
	for _, d := range digests {
		i := slices.IndexFunc(known, func(a apkAlgorithm) bool { return a.id == d.id })
		if i < 0 {
			continue
		}
		digest := digestNamed(known[i].digest)
		if before, ok := s.digests[digest]; ok && !bytes.Equal(before, d.value) {
			return apkError("two digests by %s", digest.name)
		}
		s.digests[digest] = d.value
	}
	return nil
}

// contentDigests digests the file by some algorithms: what is before the block, the directory, and the
// end record with the place of the block as that of the directory, in pieces.
func (b *APKSigningBlock) contentDigests(ctx context.Context, z *zipfile.ZipFile, want map[*digestAlgorithm]bool) (map[*digestAlgorithm][]byte, error) {
	if len(want) == 0 {
		return nil, nil
	}
	last := z.At(z.Len() - 1).CentralHeader()
	directory := b.Offset + b.Size
	end := last.Offset + 46 + int64(len(last.Name)+len(last.Extra)+len(last.Comment)) // APPNOTE 4.3.12
	record := make([]byte, 22+1<<16)
	n, err := z.ReadAt(record, end)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	record = record[:n]
	if n < 22 || string(record[:4]) != "PK\x05\x06" || n != 22+int(binary.LittleEndian.Uint16(record[20:])) ||
		int64(binary.LittleEndian.Uint32(record[16:])) != directory {
		return nil, apkError("no end record behind the directory, or it is not the end")
	}
	binary.LittleEndian.PutUint32(record[16:], uint32(b.Offset))

	pieces := make(map[*digestAlgorithm][]byte)
	count := uint32(0)
	digest := func(piece []byte) {
		head := binary.LittleEndian.AppendUint32([]byte{0xa5}, uint32(len(piece)))
		for d := range want {
			pieces[d] = append(pieces[d], d.sum(head, piece)...)
		}
		count++
	}
	buffer := make([]byte, apkChunk)
	for _, part := range [][2]int64{{0, b.Offset}, {directory, end}} {
		for at := part[0]; at < part[1]; {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			piece := buffer[:min(apkChunk, part[1]-at)]
			if n, err := z.ReadAt(piece, at); n < len(piece) {
				return nil, err
			}
			digest(piece)
			at += int64(len(piece))
		}
	}
	digest(record) // never more than a piece
	for d := range want {
		pieces[d] = d.sum(binary.LittleEndian.AppendUint32([]byte{0x5a}, count), pieces[d])
	}
	return pieces, nil
}

// prefixed reads values with their lengths before them, as uint32.
type prefixed []byte

func (p *prefixed) next() ([]byte, error) {
	n, err := p.uint32()
	if err != nil {
		return nil, err
	}
	if uint64(n) > uint64(len(*p)) {
		return nil, apkError("value of %d bytes", n)
	}
	value := (*p)[:n:n]
	*p = (*p)[n:]
	return value, nil
}

func (p *prefixed) uint32() (uint32, error) {
	if len(*p) < 4 {
		return 0, apkError("%d bytes where a number is due", len(*p))
	}
	n := binary.LittleEndian.Uint32(*p)
	*p = (*p)[4:]
	return n, nil
}

func (p *prefixed) releases() (lowest, highest uint32, err error) {
	if lowest, err = p.uint32(); err == nil {
		highest, err = p.uint32()
	}
	return lowest, highest, err
}

// all returns all values up to the end.
func (p prefixed) all() (list [][]byte, err error) {
	for len(p) > 0 {
		value, err := p.next()
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}

// numberedValue is a digest or a signature by the algorithm of a number.
type numberedValue struct {
	id    uint32
	value []byte
}

// maxNumbered is how many digests or signatures a signer may have.
const maxNumbered = 64

func (p *prefixed) numbered() (list []numberedValue, err error) {
	value, err := p.next()
	if err != nil {
		return nil, err
	}
	for rest := prefixed(value); len(rest) > 0; {
		element, err := rest.next()
		if err != nil {
			return nil, err
		}
		in := prefixed(element)
		var v numberedValue
		if v.id, err = in.uint32(); err != nil {
			return nil, err
		}
		if v.value, err = in.next(); err != nil {
			return nil, err
		}
		if len(list) == maxNumbered {
			return nil, apkError("more than %d signatures", maxNumbered)
		}
		list = append(list, v)
	}
	return list, nil
}

// prefixedList reads a list that fills a value.
func prefixedList(value []byte) (list []prefixed, err error) {
	p := prefixed(value)
	inner, err := p.next()
	if err != nil {
		return nil, err
	}
	if len(p) > 0 {
		return nil, apkError("%d bytes behind the signers", len(p))
	}
	values, err := prefixed(inner).all()
	for _, v := range values {
		list = append(list, v)
	}
	return list, err
}
