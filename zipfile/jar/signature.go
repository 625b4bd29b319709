package jar

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// signedManifest is a manifest as signatures see it.
type signedManifest struct {
	text []byte
	raw  *Manifest // with the places of its sections
	seen *Manifest // without a last line that has no line end, which the JVM ignores
	err  error     // there is none
}

// parts returns the bytes of sections, with the blank lines and without. The JDK finds none that has
// no line end at the end of the manifest.
func (m *signedManifest) parts(list ...Part) (with, without [][]byte) {
	for _, p := range list {
		if m.raw.unterminated && p.Offset+p.Length == m.raw.Size() {
			continue
		}
		b := m.text[p.Offset : p.Offset+p.Length+p.Blank]
		with = append(with, b)
		without = append(without, b[:p.Length])
	}
	return with, without
}

// coverage is what the signers of a block have signed.
type coverage struct {
	listed   map[string]bool // names of entries in the .SF file
	names    map[string]bool // those that are signed
	sections map[string]bool // sections of the manifest that are signed; nil: all
}

// hasSection tells whether a section of the manifest is signed.
func (c *coverage) hasSection(name string) bool { return c.sections == nil || c.sections[name] }

// entryName gives the name of an entry without what the JDK leaves out where it stands at the front
// (java.util.jar.JarVerifier.beginEntry).
func entryName(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "./"), "/")
}

// block is a signature block with its signature file.
type block struct {
	name   string
	data   []byte
	err    error // it cannot be read, or there are several
	sfName string
	sf     []byte // nil if there is none
	sfErr  error  // the same of the signature file
}

// verifyBlock verifies the signers of a block, as sun.security.util.SignatureFileVerifier does.
func verifyBlock(b *block, m *signedManifest, o *VerifyOptions, found *findings) ([]*Signer, *coverage) {
	cover := new(coverage)
	sd, sf, err := b.parse()
	var digests []string
	if sf != nil {
		cover.listed = make(map[string]bool, len(sf.sections))
		for i := range sf.sections {
			cover.listed[entryName(sf.sections[i].Name)] = true
		}
		digests = digestNames(sf)
	}
	signers := make([]*Signer, len(sd.signers))
	dates := make([]time.Time, 0, len(signers))
	for i, info := range sd.signers {
		s := &Signer{File: b.name, SignatureFile: b.sfName, Digests: digests, Err: err}
		signers[i] = s
		if info != nil {
			s.verify(sd, info, b.sf)
		}
		if s.Timestamp != nil {
			dates = append(dates, s.Timestamp.Time)
		}
	}
	date := signedBy(dates, len(signers))
	var all Signer // what is said of all: they have signed the same
	for i, info := range sd.signers {
		s := signers[i]
		if s.Counts() {
			s.permit(info, date)
		}
		if s.Counts() {
			s.checkChain(o, sd.certificates)
		}
		all.reject(s.Err)
		if s.Refused != nil {
			all.refuse(s.Refused)
		}
	}
	if all.Counts() {
		all.verifyFile(sf, m, date, cover)
	}
	for _, s := range signers {
		if s.Counts() {
			s.Err, s.Refused = all.Err, all.Refused
		}
		s.WholeManifest, s.MainAttributes = all.WholeManifest, all.MainAttributes
		s.tell(o, found)
	}
	return signers, cover
}

// parse parses a block and its signature file. With an error they may be there all the same: of a block
// that cannot be parsed there is one signer, nil.
func (b *block) parse() (sd *signedData, sf *Manifest, err error) {
	if err = b.err; err == nil {
		sd, err = parseSignedData(b.data)
	}
	if err == nil && !sd.contentType.Equal(oidData) {
		err = fmt.Errorf("content of type %v", sd.contentType)
	}
	if err != nil {
		err = fmt.Errorf("signature block: %w", err)
		sd = &signedData{signers: []*signerInfo{nil}}
	} else if b.sf == nil && b.sfErr == nil {
		b.sf = sd.content // jarsigner -internalsf
	}
	switch {
	case err != nil:
	case b.sfErr != nil:
		err = b.sfErr
	case b.sf == nil:
		err = errors.New("no signature file for the signature block")
	case sd.content != nil && !bytes.Equal(sd.content, b.sf):
		err = errors.New("the signature block is that of another signature file")
	}
	if b.sf != nil {
		var sfErr error
		if sf, sfErr = ParseManifest(withoutCut(b.sf)); sfErr != nil && err == nil {
			err = fmt.Errorf("signature file: %w", sfErr)
		}
	}
	return sd, sf, err
}

// signedBy returns the latest of the timestamps, the zero time if one of n signers has none
// (sun.security.util.JarConstraintsParameters).
func signedBy(dates []time.Time, n int) time.Time {
	if len(dates) < n || n == 0 {
		return time.Time{}
	}
	return slices.MaxFunc(dates, time.Time.Compare)
}

// reject notes what was found wrong, in Refused where the fault is not the signature's.
func (s *Signer) reject(err error) {
	switch {
	case err == nil:
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, ErrWeak):
		s.refuse(err)
	case s.Err == nil:
		s.Err = err
	}
}

// refuse notes why a signature does not count.
func (s *Signer) refuse(err error) {
	if s.Refused == nil {
		s.Refused = err
	}
}

// verify checks the signature of a signature file, and its timestamp.
func (s *Signer) verify(sd *signedData, info *signerInfo, sf []byte) {
	digest := digestByOID(info.digest.oid)
	s.Algorithm = signatureName(info, digest)
	if c := sd.certificate(info); c != nil {
		s.Certificates = sd.chain(c)
	}
	if sf != nil {
		s.reject(sd.verify(info, sf))
	}
	for _, a := range info.unsigned {
		if a.oid.Equal(oidTimestampToken) {
			t, err := verifyTimestamp(attributeOf(info.unsigned, oidTimestampToken), info.value)
			if err != nil {
				err = fmt.Errorf("timestamp: %w", err)
			}
			s.Timestamp = t
			s.reject(err)
		}
	}
}

// verify checks a signer's signature of content (RFC 5652, 5.6).
func (sd *signedData) verify(info *signerInfo, content []byte) error {
	c := sd.certificate(info)
	if c == nil {
		return errors.New("no certificate of the signer in the signature block")
	}
	digest := digestByOID(info.digest.oid)
	switch {
	case digest == nil:
		return fmt.Errorf("digest algorithm %v: %w", info.digest.oid, errors.ErrUnsupported)
	case digest.new == nil:
		return fmt.Errorf("%w: %s", ErrWeak, digest.name)
	case c.unknown != "":
		return fmt.Errorf("certificate with the critical extension %s, which is unknown", c.unknown)
	case !c.maySign():
		return errors.New("the certificate's key may not be used for signatures")
	}
	data := content
	if info.attributes != nil {
		data = info.attributes
		if err := checkAttributes(sd, info, digest, content); err != nil {
			return err
		}
	}
	key, err := c.publicKey()
	if err != nil {
		return err
	}
	return key.verify(info, digest, data)
}

// checkAttributes checks the signed attributes (RFC 5652, 11.1 and 11.2; RFC 6211).
func checkAttributes(sd *signedData, info *signerInfo, digest *digestAlgorithm, content []byte) error {
	kind := attributeOf(info.signed, oidContentType)
	if oid, err := kind.oid(); err != nil || !oid.Equal(sd.contentType) {
		return errors.New("signed attributes without the type of the content")
	}
	sum := attributeOf(info.signed, oidMessageDigest)
	if value, err := sum.primitive(asn1.TagOctetString); err != nil || !bytes.Equal(value, digest.sum(content)) {
		return errors.New("the content does not have the digest that was signed")
	}
	for _, a := range info.signed {
		if !a.oid.Equal(oidProtection) {
			continue
		}
		value := attributeOf(info.signed, oidProtection)
		in, err := value.sequence(asn1.TagSequence)
		if err != nil {
			return err
		}
		protected, err := in.algorithm()
		if err != nil {
			return err
		}
		body, ok, err := in.optional(1)
		if err != nil || !ok {
			return errors.New("algorithm protection without the algorithm of the signature")
		}
		signature, err := body.algorithmBody()
		if err != nil || !protected.same(info.digest) || !signature.same(info.signature) {
			return errors.New("other algorithms than those that were signed")
		}
	}
	return nil
}

// verifyTimestamp checks a timestamp token of a signature (RFC 3161, 2.4.2; RFC 5544).
func verifyTimestamp(token der, signature []byte) (*Timestamp, error) {
	sd, err := parseSignedData(token)
	if err != nil {
		return nil, err
	}
	if !sd.contentType.Equal(oidTimestampInfo) || sd.content == nil {
		return nil, fmt.Errorf("content of type %v", sd.contentType)
	}
	t, err := parseTimestampInfo(sd.content)
	if err != nil {
		return nil, err
	}
	digest := digestByOID(t.digest.oid)
	if digest == nil || digest.new == nil {
		return nil, fmt.Errorf("digest algorithm %v: %w", t.digest.oid, errors.ErrUnsupported)
	}
	if !bytes.Equal(digest.sum(signature), t.imprint) {
		return nil, errors.New("it is that of another signature")
	}
	if !digest.permits(t.time) {
		return nil, fmt.Errorf("%w: %s", ErrWeak, digest.name)
	}
	for _, info := range sd.signers {
		if err := sd.verify(info, sd.content); err != nil {
			return nil, err
		}
		if d := digestByOID(info.digest.oid); !d.permits(t.time) {
			return nil, fmt.Errorf("%w: %s", ErrWeak, d.name)
		}
	}
	return &Timestamp{t.time, sd.chain(sd.certificate(sd.signers[0]))}, nil
}

// permit refuses a signature by algorithms and keys that do not count, as jdk.jar.disabledAlgorithms
// does, and tells what is out of date.
func (s *Signer) permit(info *signerInfo, date time.Time) {
	digest := digestByOID(info.digest.oid)
	if key := keyAlgorithm(info.signature.oid); key != "Ed25519" {
		if !digest.permits(date) {
			s.reject(fmt.Errorf("%w: %s", ErrWeak, s.Algorithm))
			return
		}
		if digest.name == "SHA-1" {
			s.Weak = append(s.Weak, digest.name)
		}
	}
	key, err := s.Certificates[0].publicKey()
	if err != nil {
		s.reject(err)
		return
	}
	if key.algorithm == "RSA" || key.algorithm == "RSASSA-PSS" || key.algorithm == "DSA" {
		text := fmt.Sprintf("%s key of %d bits", key.algorithm, key.bits)
		switch {
		case key.bits < minKeyBits:
			s.reject(fmt.Errorf("%w: %s", ErrWeak, text))
		case key.bits < weakKeyBits:
			s.Weak = append(s.Weak, text)
		}
	}
}

// checkChain refuses a signer whose certificates do not lead to the roots that are wanted. all are those
// of the block. A timestamp says when the chain must have been valid if that of its authority leads to the
// roots too: else anybody could make one.
func (s *Signer) checkChain(o *VerifyOptions, all []*Certificate) {
	if o.Roots == nil {
		return
	}
	at := o.Now
	if t := s.Timestamp; t != nil && leadsTo(o.Roots, t.Certificates, t.Certificates, t.Time, x509.ExtKeyUsageTimeStamping) == nil {
		at = t.Time
	}
	if err := leadsTo(o.Roots, s.Certificates, all, at, x509.ExtKeyUsageCodeSigning); err != nil {
		s.Refused = err
	}
}

// leadsTo checks the chain of the first certificate through others to roots.
func leadsTo(roots *x509.CertPool, chain, others []*Certificate, at time.Time, usage x509.ExtKeyUsage) error {
	if len(chain) == 0 || chain[0].X509 == nil {
		return fmt.Errorf("certificate that crypto/x509 does not take: %w", errors.ErrUnsupported)
	}
	pool := x509.NewCertPool()
	for _, c := range others {
		if c.X509 != nil {
			pool.AddCert(c.X509)
		}
	}
	_, err := chain[0].X509.Verify(x509.VerifyOptions{Roots: roots, Intermediates: pool, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{usage}})
	return err
}

// signsCode reports a certificate whose extended key usage, if it has that, allows to sign code (RFC 5280,
// 4.2.1.12), which jarsigner -strict asks for.
func signsCode(c *x509.Certificate) bool {
	return len(c.ExtKeyUsage)+len(c.UnknownExtKeyUsage) == 0 || slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageCodeSigning) ||
		slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageAny)
}

// tell adds what is odd about a signer to the findings.
func (s *Signer) tell(o *VerifyOptions, found *findings) {
	name := fmt.Sprintf("%.200q", s.File)
	if s.Refused != nil {
		found.add(kindRefused, 0, "%s: counts as none: %v", name, s.Refused)
	}
	if !s.Counts() {
		return
	}
	if len(s.Weak) > 0 {
		found.add(kindWeak, 0, "%s: %s", name, strings.Join(s.Weak, ", "))
	}
	if c := s.Certificates[0]; s.Timestamp == nil && (o.Now.Before(c.NotBefore) || o.Now.After(c.NotAfter)) {
		found.add(kindExpired, 0, "%s: the certificate is valid from %s to %s, and there is no timestamp", name,
			c.NotBefore.Format(time.DateOnly), c.NotAfter.Format(time.DateOnly))
	}
	if c := s.Certificates[0].X509; c != nil && !signsCode(c) {
		found.add(kindUsage, 0, "%s: the certificate is not for signing code", name)
	}
	if !s.MainAttributes {
		found.add(kindMain, 0, "%s: the main attributes of the manifest are not signed", name)
	}
}
