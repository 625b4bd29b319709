package jar

import (
	"bytes"
	"encoding/asn1"
	"fmt"
	"time"
)

// What a signature block may hold, so that a hostile one does not take long: the chain of a signer is
// looked for among all certificates, and each signer costs an operation with its key.
const (
	maxCertificates = 1000
	maxSignerInfos  = 32
	maxAttributes   = 1000
)

// signedData is a SignedData of the Cryptographic Message Syntax (RFC 5652, 5.1) as far as signatures
// of archives use it. Signers are known by issuer and serial number; sun.security.pkcs.PKCS7 reads no
// others either.
type signedData struct {
	contentType  asn1.ObjectIdentifier
	content      []byte // nil where the block signs something outside it
	certificates []*Certificate
	signers      []*signerInfo
}

// signerInfo is a SignerInfo (RFC 5652, 5.3).
type signerInfo struct {
	issuer    string // canonical
	serial    []byte // contents of the INTEGER
	digest    algorithmIdentifier
	signature algorithmIdentifier
	value     []byte // the signature itself

	attributes []byte // signed, as they are digested: a SET; nil where the content is signed directly
	signed     []attributeValue
	unsigned   []attributeValue
}

type attributeValue struct {
	oid   asn1.ObjectIdentifier
	value []byte // the first one, DER
	count int    // of values; 2: or more
}

type algorithmIdentifier struct {
	oid        asn1.ObjectIdentifier
	parameters []byte // DER; nil if there are none
}

// same compares algorithms, for which NULL and no parameters are the same.
func (a algorithmIdentifier) same(b algorithmIdentifier) bool {
	plain := func(p []byte) []byte {
		if bytes.Equal(p, asn1.NullBytes) {
			return nil
		}
		return p
	}
	return a.oid.Equal(b.oid) && bytes.Equal(plain(a.parameters), plain(b.parameters))
}

// parseSignedData parses a ContentInfo with a SignedData, in DER or in BER.
func parseSignedData(b []byte) (*signedData, error) {
	s, err := parseContentInfo(b)
	if err == nil {
		return s, nil
	}
	if d, ok := definite(b); ok {
		return parseContentInfo(d)
	}
	return nil, err
}

func parseContentInfo(b der) (*signedData, error) {
	info, err := b.sequence(asn1.TagSequence)
	if err != nil {
		return nil, err
	}
	kind, err := info.oid()
	if err != nil {
		return nil, err
	}
	if !kind.Equal(oidSignedData) {
		return nil, fmt.Errorf("content of type %v, no signed data", kind)
	}
	in, ok, err := info.optional(0)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("no signed data")
	}
	if in, err = in.sequence(asn1.TagSequence); err != nil {
		return nil, err
	}
	return in.signedData()
}

func (d der) signedData() (*signedData, error) {
	s := new(signedData)
	if _, err := d.primitive(asn1.TagInteger); err != nil { // version
		return nil, err
	}
	if _, err := d.sequence(asn1.TagSet); err != nil { // digest algorithms, which the signers name again
		return nil, err
	}
	content, err := d.sequence(asn1.TagSequence)
	if err != nil {
		return nil, err
	}
	if s.contentType, err = content.oid(); err != nil {
		return nil, err
	}
	if inner, ok, err := content.optional(0); err != nil {
		return nil, err
	} else if ok {
		if s.content, err = inner.primitive(asn1.TagOctetString); err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
		if s.content == nil {
			s.content = []byte{}
		}
	}
	certificates, _, err := d.optional(0)
	if err != nil {
		return nil, err
	}
	for n := 0; len(certificates) > 0; n++ {
		if n == maxCertificates {
			return nil, fmt.Errorf("more than %d certificates", maxCertificates)
		}
		v, err := certificates.next()
		if err != nil {
			return nil, err
		}
		if v.Class != asn1.ClassUniversal || v.Tag != asn1.TagSequence {
			continue // RFC 5652, 10.2.2: other formats
		}
		c, err := parseCertificate(v.FullBytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d: %w", n+1, err)
		}
		s.certificates = append(s.certificates, c)
	}
	if _, _, err := d.optional(1); err != nil { // revocation lists
		return nil, err
	}
	infos, err := d.sequence(asn1.TagSet)
	if err != nil {
		return nil, err
	}
	for len(infos) > 0 {
		if len(s.signers) == maxSignerInfos {
			return nil, fmt.Errorf("more than %d signers", maxSignerInfos)
		}
		in, err := infos.sequence(asn1.TagSequence)
		if err != nil {
			return nil, err
		}
		signer, err := in.signerInfo()
		if err != nil {
			return nil, fmt.Errorf("signer %d: %w", len(s.signers)+1, err)
		}
		s.signers = append(s.signers, signer)
	}
	if len(s.signers) == 0 {
		return nil, fmt.Errorf("no signers")
	}
	return s, nil
}

func (d der) signerInfo() (*signerInfo, error) {
	s := new(signerInfo)
	if _, err := d.primitive(asn1.TagInteger); err != nil {
		return nil, err
	}
	id, err := d.sequence(asn1.TagSequence)
	if err != nil {
		return nil, fmt.Errorf("issuer and serial number: %w", err)
	}
	if _, s.issuer, err = id.name(); err != nil {
		return nil, err
	}
	if s.serial, err = id.primitive(asn1.TagInteger); err != nil {
		return nil, err
	}
	if s.digest, err = d.algorithm(); err != nil {
		return nil, err
	}
	if d.is(asn1.ClassContextSpecific, 0) {
		v, err := d.next()
		if err != nil {
			return nil, err
		}
		s.attributes = bytes.Clone(v.FullBytes)
		s.attributes[0] = 0x31 // they are digested as a SET (RFC 5652, 5.4)
		if s.signed, err = attributeValues(v.Bytes); err != nil {
			return nil, fmt.Errorf("signed attributes: %w", err)
		}
	}
	if s.signature, err = d.algorithm(); err != nil {
		return nil, err
	}
	if s.value, err = d.primitive(asn1.TagOctetString); err != nil {
		return nil, err
	}
	unsigned, _, err := d.optional(1)
	if err != nil {
		return nil, err
	}
	if s.unsigned, err = attributeValues(unsigned); err != nil {
		return nil, fmt.Errorf("unsigned attributes: %w", err)
	}
	if len(d) > 0 {
		return nil, fmt.Errorf("%d bytes behind the end", len(d))
	}
	return s, nil
}

// attributeValues reads attributes (RFC 5652, 5.3), no two of one type.
func attributeValues(d der) (list []attributeValue, err error) {
	seen := make(map[string]bool)
	for len(d) > 0 {
		if len(list) == maxAttributes {
			return nil, fmt.Errorf("more than %d", maxAttributes)
		}
		in, err := d.sequence(asn1.TagSequence)
		if err != nil {
			return nil, err
		}
		var a attributeValue
		if a.oid, err = in.oid(); err != nil {
			return nil, err
		}
		key := a.oid.String()
		if seen[key] {
			return nil, fmt.Errorf("two attributes of type %s", key)
		}
		seen[key] = true
		values, err := in.sequence(asn1.TagSet)
		if err != nil {
			return nil, err
		}
		for ; len(values) > 0 && a.count < 2; a.count++ {
			v, err := values.next()
			if err != nil {
				return nil, err
			}
			if a.count == 0 {
				a.value = v.FullBytes
			}
		}
		list = append(list, a)
	}
	return list, nil
}

// attributeOf returns the value of an attribute that has one value, nil if there is none such.
func attributeOf(list []attributeValue, oid asn1.ObjectIdentifier) der {
	for _, a := range list {
		if a.oid.Equal(oid) && a.count == 1 {
			return a.value
		}
	}
	return nil
}

// certificate returns the certificate of a signer, nil if it is not there.
func (s *signedData) certificate(info *signerInfo) *Certificate {
	for _, c := range s.certificates {
		if bytes.Equal(c.serial, info.serial) && c.issuer == info.issuer {
			return c
		}
	}
	return nil
}

// chain returns a certificate, its issuer, and so on, as far as the block has them. They are found
// by name: nobody has checked that one signed the other.
func (s *signedData) chain(c *Certificate) []*Certificate {
	chain := []*Certificate{c}
	used := map[*Certificate]bool{c: true}
	for c.issuer != c.subject {
		var next *Certificate
		for _, candidate := range s.certificates {
			if !used[candidate] && candidate.subject == c.issuer {
				next = candidate
				break
			}
		}
		if next == nil {
			break
		}
		used[next] = true
		chain = append(chain, next)
		c = next
	}
	return chain
}

// timestampInfo is what a TSTInfo (RFC 3161, 2.4.2) says.
type timestampInfo struct {
	digest  algorithmIdentifier
	imprint []byte
	time    time.Time
}

func parseTimestampInfo(b []byte) (t timestampInfo, err error) {
	d := der(b)
	in, err := d.sequence(asn1.TagSequence)
	if err != nil {
		return t, err
	}
	if _, err = in.primitive(asn1.TagInteger); err != nil {
		return t, err
	}
	if _, err = in.oid(); err != nil { // policy
		return t, err
	}
	imprint, err := in.sequence(asn1.TagSequence)
	if err != nil {
		return t, err
	}
	if t.digest, err = imprint.algorithm(); err != nil {
		return t, err
	}
	if t.imprint, err = imprint.primitive(asn1.TagOctetString); err != nil {
		return t, err
	}
	if _, err = in.primitive(asn1.TagInteger); err != nil { // serial number
		return t, err
	}
	text, err := in.primitive(asn1.TagGeneralizedTime)
	if err != nil {
		return t, err
	}
	t.time, err = time.Parse("20060102150405Z0700", string(text)) // with or without a fraction
	return t, err
}
