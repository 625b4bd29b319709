package jar

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// Certificate is a certificate of a signature block. X509 is nil where crypto/x509 does not take it,
// as it does not take negative serial numbers; the JVM, and Verify, do.
type Certificate struct {
	Subject, Issuer     string // as pkix.RDNSequence writes them, "CN=name,O=organization"
	Serial              *big.Int
	NotBefore, NotAfter time.Time
	Raw                 []byte // DER
	X509                *x509.Certificate

	issuer, subject string // canonical
	serial          []byte // contents of the INTEGER
	spki            []byte // DER
	key             algorithmIdentifier
	keyBits         []byte
	keyUsage        []byte // contents of the BIT STRING; nil: not restricted
	unknown         string // a critical extension that nobody knows
}

// parseCertificate parses what signatures need of a certificate (RFC 5280, 4.1).
func parseCertificate(b []byte) (*Certificate, error) {
	c := &Certificate{Raw: b}
	d := der(b)
	outer, err := d.sequence(asn1.TagSequence)
	if err != nil {
		return nil, err
	}
	in, err := outer.sequence(asn1.TagSequence)
	if err != nil {
		return nil, err
	}
	if _, _, err = in.optional(0); err != nil { // version
		return nil, err
	}
	if c.serial, err = in.primitive(asn1.TagInteger); err != nil {
		return nil, err
	}
	if len(c.serial) > 64 {
		return nil, fmt.Errorf("serial number of %d bytes", len(c.serial))
	}
	c.Serial = integer(c.serial)
	if _, err = in.sequence(asn1.TagSequence); err != nil { // algorithm of the signature
		return nil, err
	}
	if c.Issuer, c.issuer, err = in.name(); err != nil {
		return nil, err
	}
	validity, err := in.sequence(asn1.TagSequence)
	if err != nil {
		return nil, err
	}
	if c.NotBefore, err = validity.time(); err != nil {
		return nil, err
	}
	if c.NotAfter, err = validity.time(); err != nil {
		return nil, err
	}
	if c.Subject, c.subject, err = in.name(); err != nil {
		return nil, err
	}
	spki, err := in.next()
	if err != nil {
		return nil, err
	}
	if err = c.publicKeyInfo(spki.FullBytes); err != nil {
		return nil, err
	}
	if err = c.extensions(in); err != nil {
		return nil, err
	}
	c.X509, _ = x509.ParseCertificate(b)
	return c, nil
}

// publicKeyInfo parses a SubjectPublicKeyInfo.
func (c *Certificate) publicKeyInfo(d der) (err error) {
	c.spki = d
	in, err := d.sequence(asn1.TagSequence)
	if err != nil {
		return err
	}
	if c.key, err = in.algorithm(); err != nil {
		return err
	}
	var bits asn1.BitString
	_, err = asn1.Unmarshal(in, &bits)
	c.keyBits = bits.Bytes
	return err
}

// integer gives the contents of an INTEGER as a number.
func integer(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

func (d *der) name() (text, canonical string, err error) {
	v, err := d.next()
	if err != nil {
		return "", "", err
	}
	if v.Class != asn1.ClassUniversal || v.Tag != asn1.TagSequence {
		return "", "", fmt.Errorf("tag %#x where a name is due", v.FullBytes[0])
	}
	return nameText(v.FullBytes), canonicalName(v.FullBytes), nil
}

// maxNameText is the size in bytes of the largest name that is written out; pkix.RDNSequence takes the
// square of the size.
const maxNameText = 4096

func nameText(raw []byte) string {
	if len(raw) > maxNameText {
		return fmt.Sprintf("(name of %d bytes)", len(raw))
	}
	var rdn pkix.RDNSequence
	if _, err := asn1.Unmarshal(raw, &rdn); err != nil {
		return "#" + hex.EncodeToString(raw)
	}
	return rdn.String()
}

// canonicalName gives names that the JDK takes for the same one text: letter case, white space and the
// kind of strings do not count.
func canonicalName(raw []byte) string {
	if len(raw) > maxNameText {
		return string(raw)
	}
	return strings.Join(strings.Fields(strings.ToLower(nameText(raw))), " ")
}

func (d *der) time() (t time.Time, err error) {
	v, err := d.next()
	if err != nil {
		return t, err
	}
	text := string(v.Bytes)
	switch {
	case v.Class == asn1.ClassUniversal && v.Tag == asn1.TagUTCTime:
		for _, layout := range []string{"060102150405Z0700", "0601021504Z0700"} {
			if t, err = time.Parse(layout, text); err == nil {
				if t.Year() >= 2050 { // RFC 5280, 4.1.2.5.1
					t = t.AddDate(-100, 0, 0)
				}
				return t, nil
			}
		}
		return t, err
	case v.Class == asn1.ClassUniversal && v.Tag == asn1.TagGeneralizedTime:
		return time.Parse("20060102150405Z0700", text)
	}
	return t, fmt.Errorf("tag %#x where a time is due", v.FullBytes[0])
}

// extensions reads the optional fields at the end of a certificate.
func (c *Certificate) extensions(d der) error {
	for len(d) > 0 && !d.is(asn1.ClassContextSpecific, 3) {
		if _, err := d.next(); err != nil {
			return err
		}
	}
	if len(d) == 0 {
		return nil
	}
	in, _, err := d.optional(3)
	if err != nil {
		return err
	}
	list, err := in.sequence(asn1.TagSequence)
	if err != nil {
		return err
	}
	for n := 0; len(list) > 0; n++ {
		if n == maxAttributes {
			return fmt.Errorf("more than %d extensions", maxAttributes)
		}
		e, err := list.sequence(asn1.TagSequence)
		if err != nil {
			return err
		}
		oid, err := e.oid()
		if err != nil {
			return err
		}
		critical := false
		if e.is(asn1.ClassUniversal, asn1.TagBoolean) {
			b, err := e.primitive(asn1.TagBoolean)
			if err != nil {
				return err
			}
			critical = len(b) == 1 && b[0] != 0
		}
		value, err := e.primitive(asn1.TagOctetString)
		if err != nil {
			return err
		}
		switch {
		case oid.Equal(oidKeyUsage):
			var bits asn1.BitString
			if _, err := asn1.Unmarshal(value, &bits); err != nil {
				return fmt.Errorf("key usage: %w", err)
			}
			c.keyUsage = append([]byte{}, bits.Bytes...)
		case critical && !knownExtension(oid):
			c.unknown = oid.String()
		}
	}
	return nil
}

// knownExtension tells whether sun.security.x509.OIDMap has an extension.
func knownExtension(oid asn1.ObjectIdentifier) bool {
	text := oid.String()
	for _, prefix := range []string{"2.5.29.", "1.3.6.1.5.5.7.1.", "1.3.6.1.5.5.7.48.1.5", "2.16.840.1.113730.1.1"} {
		if strings.HasPrefix(text+".", prefix) || text == prefix {
			return true
		}
	}
	return false
}

// maySign tells whether the key may be used for signatures of data: digitalSignature or
// nonRepudiation (RFC 5280, 4.2.1.3), if its use is restricted.
func (c *Certificate) maySign() bool {
	return c.keyUsage == nil || len(c.keyUsage) > 0 && c.keyUsage[0]&0xc0 != 0
}
