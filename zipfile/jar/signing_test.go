package jar_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/md5"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"time"

	"zipcat.dev/zipfile/ziptest"
)

// digests by the names that manifests have for them.
var digests = map[string]struct {
	hash crypto.Hash
	sum  func([]byte) []byte
	oid  asn1.ObjectIdentifier
}{
	"MD5":     {crypto.MD5, func(b []byte) []byte { s := md5.Sum(b); return s[:] }, asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 5}},
	"SHA1":    {crypto.SHA1, func(b []byte) []byte { s := sha1.Sum(b); return s[:] }, asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}},
	"SHA-256": {crypto.SHA256, func(b []byte) []byte { s := sha256.Sum256(b); return s[:] }, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}},
	"SHA-384": {crypto.SHA384, func(b []byte) []byte { s := sha512.Sum384(b); return s[:] }, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 2}},
	"SHA-512": {crypto.SHA512, func(b []byte) []byte { s := sha512.Sum512(b); return s[:] }, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 3}},
}

func digestText(name string, b []byte) string {
	return base64.StdEncoding.EncodeToString(digests[name].sum(b))
}

// identity is a key with a certificate.
type identity struct {
	key         crypto.Signer
	certificate *x509.Certificate
}

// newIdentity makes a certificate that is its own issuer, or is issued by another one.
func newIdentity(name string, key crypto.Signer, issuer *identity, change func(*x509.Certificate)) *identity {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(int64(len(name)) + 1000),
		Subject:      pkix.Name{CommonName: name, Organization: []string{"Example"}},
		NotBefore:    time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	if change != nil {
		change(template)
	}
	parent, by := template, key
	if issuer != nil {
		parent, by = issuer.certificate, issuer.key
	}
	b, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), by)
	if err != nil {
		panic(err)
	}
	c, err := x509.ParseCertificate(b)
	if err != nil {
		panic(err)
	}
	return &identity{key, c}
}

// identities are made once for all tests.
var identities = sync.OnceValue(func() map[string]*identity {
	m := make(map[string]*identity)
	must := func(key crypto.Signer, err error) crypto.Signer {
		if err != nil {
			panic(err)
		}
		return key
	}
	rsaKey := must(rsa.GenerateKey(rand.Reader, 2048))
	m["rsa"] = newIdentity("rsa", rsaKey, nil, nil)
	m["rsa2"] = newIdentity("rsa2", must(rsa.GenerateKey(rand.Reader, 1024)), nil, nil)
	m["p256"] = newIdentity("p256", must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), nil, nil)
	m["p384"] = newIdentity("p384", must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)), nil, nil)
	m["p521"] = newIdentity("p521", must(ecdsa.GenerateKey(elliptic.P521(), rand.Reader)), nil, nil)
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	m["ed25519"] = newIdentity("ed25519", must(ed, err), nil, nil)
	m["tsa"] = newIdentity("tsa", must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), nil, nil)
	m["ca"] = newIdentity("ca", must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), nil, func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign
	})
	m["leaf"] = newIdentity("leaf", must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), m["ca"], func(c *x509.Certificate) {
		c.KeyUsage, c.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning}
	})
	m["expired"] = newIdentity("expired", rsaKey, nil, func(c *x509.Certificate) { c.NotAfter = time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC) })
	m["server"] = newIdentity("server", rsaKey, nil, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} })
	m["encipher"] = newIdentity("encipher", rsaKey, nil, func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageKeyEncipherment })
	m["critical"] = newIdentity("critical", rsaKey, nil, func(c *x509.Certificate) {
		c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 2, 3, 4}, Critical: true, Value: asn1.NullBytes}}
	})
	return m
})

// signing says how an archive is signed.
type signing struct {
	by     string // of identities
	digest string // empty: SHA-256
	name   string // of the files in META-INF; empty: K
	ext    string // of the block; empty: by the key

	entryDigests []string // of the manifest; nil: digest
	pss          bool
	direct       bool // no signed attributes
	internal     bool // the block holds the .SF file
	sectionsOnly bool // no digest of the manifest and its main attributes
	noMain       bool // no digest of the main attributes
	indefinite   bool // lengths in the block as BER allows them
	bare         bool // the block has no certificates
	protect      string
	stamped      time.Time // by a timestamp
	stampOther   bool      // but that of another signature
	also         string    // a second signer in the block, whose signature is broken if it begins with "!"

	manifest func(string) string // changes the manifest before it is signed
	file     func(string) string // changes the .SF file before it is signed
	cms      func([]byte) []byte // changes the block
}

func tlv(tag byte, parts ...[]byte) []byte {
	b := bytes.Join(parts, nil)
	v := asn1.RawValue{Class: int(tag >> 6), Tag: int(tag & 0x1f), IsCompound: tag&0x20 != 0, Bytes: b}
	out, err := asn1.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}

func der(v any) []byte {
	b, err := asn1.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

const (
	sequence = 0x30
	set      = 0x31
	octets   = 0x04
	null     = 0x05
)

func algorithm(oid asn1.ObjectIdentifier) []byte { return tlv(sequence, der(oid), tlv(null)) }

var (
	oidData       = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}
	oidSignedData = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	oidTSTInfo    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 1, 4}
	oidPKCS9      = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9}
)

func pkcs9(n ...int) asn1.ObjectIdentifier {
	return append(oidPKCS9[:len(oidPKCS9):len(oidPKCS9)], n...)
}

// signerInfo signs content.
func (s *signing) signerInfo(by *identity, content []byte, kind asn1.ObjectIdentifier) []byte {
	digest := digests[s.digest]
	var signature []byte
	var options crypto.SignerOpts = digest.hash
	digestOID := digest.oid
	sum := digest.sum
	switch by.key.(type) {
	case *rsa.PrivateKey:
		signature = algorithm(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1})
		if s.pss {
			salt := digest.hash.Size()
			options = &rsa.PSSOptions{SaltLength: salt, Hash: digest.hash}
			h := algorithm(digest.oid)
			signature = tlv(sequence, der(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 10}), tlv(sequence,
				tlv(0xa0, h), tlv(0xa1, tlv(sequence, der(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 8}), h)), tlv(0xa2, der(salt))))
		}
	case *ecdsa.PrivateKey:
		signature = tlv(sequence, der(asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}))
	case ed25519.PrivateKey:
		signature = tlv(sequence, der(asn1.ObjectIdentifier{1, 3, 101, 112}))
		options = crypto.Hash(0)
		digestOID = digests["SHA-512"].oid
		sum = digests["SHA-512"].sum
	}
	signed := content
	var attributes []byte
	if !s.direct {
		list := [][]byte{
			tlv(sequence, der(pkcs9(3)), tlv(set, der(kind))),
			tlv(sequence, der(pkcs9(4)), tlv(set, tlv(octets, sum(content)))),
		}
		if s.protect != "" {
			list = append(list, tlv(sequence, der(pkcs9(52)), tlv(set, tlv(sequence,
				algorithm(digests[s.protect].oid), tlv(0xa1, signature[2:])))))
		}
		signed = tlv(set, list...)
		attributes = tlv(0xa0, list...)
	}
	sign := func(b []byte) []byte {
		if options.HashFunc() != 0 {
			b = digest.sum(b)
		}
		value, err := by.key.Sign(rand.Reader, b, options)
		if err != nil {
			panic(err)
		}
		return value
	}
	value := sign(signed)
	var unsigned []byte
	if !s.stamped.IsZero() {
		token := timestamp(value, s.stamped)
		if s.stampOther {
			token = timestamp(append(value, 0), s.stamped)
		}
		unsigned = tlv(0xa1, tlv(sequence, der(pkcs9(16, 2, 14)), tlv(set, token)))
	}
	c := by.certificate
	return tlv(sequence, der(1), tlv(sequence, c.RawIssuer, der(c.SerialNumber)), algorithm(digestOID), attributes,
		signature, tlv(octets, value), unsigned)
}

// block makes a signature block.
func (s *signing) block(content []byte, kind asn1.ObjectIdentifier, inside bool) []byte {
	by := identities()[s.by]
	var inner []byte
	if inside {
		inner = tlv(0xa0, tlv(octets, content))
	}
	infos := s.signerInfo(by, content, kind)
	certificates := [][]byte{by.certificate.Raw}
	if s.by == "leaf" {
		certificates = append(certificates, identities()["ca"].certificate.Raw)
	}
	if also, broken := strings.CutPrefix(s.also, "!"); also != "" {
		second := identities()[also]
		if broken {
			infos = append(infos, s.signerInfo(second, []byte("something else"), kind)...)
		} else {
			infos = append(infos, s.signerInfo(second, content, kind)...)
		}
		certificates = append(certificates, second.certificate.Raw)
	}
	certs := tlv(0xa0, certificates...)
	if s.bare {
		certs = nil
	}
	data := [][]byte{der(1), tlv(set, algorithm(digests[s.digest].oid)), tlv(sequence, der(kind), inner), certs, tlv(set, infos)}
	if s.indefinite {
		return indefinite(sequence, der(oidSignedData), indefinite(0xa0, indefinite(sequence, data...)))
	}
	b := tlv(sequence, der(oidSignedData), tlv(0xa0, tlv(sequence, data...)))
	if s.cms != nil {
		b = s.cms(b)
	}
	return b
}

func indefinite(tag byte, parts ...[]byte) []byte {
	b := append([]byte{tag, 0x80}, bytes.Join(parts, nil)...)
	return append(b, 0, 0)
}

// timestamp makes a timestamp token.
func timestamp(signature []byte, at time.Time) []byte {
	info := tlv(sequence, der(1), der(asn1.ObjectIdentifier{1, 2, 3}),
		tlv(sequence, algorithm(digests["SHA-256"].oid), tlv(octets, digests["SHA-256"].sum(signature))), der(7),
		tlv(0x18, []byte(at.UTC().Format("20060102150405.5Z"))))
	s := signing{by: "tsa", digest: "SHA-256"}
	return s.block(info, oidTSTInfo, true)
}

// signJar signs files as jarsigner does.
func signJar(files []ziptest.Entry, by ...signing) []ziptest.Entry {
	var manifest strings.Builder
	manifest.WriteString("Manifest-Version: 1.0\r\nMain-Class: a.B\r\n\r\n")
	algorithms := by[0].entryDigests
	if algorithms == nil {
		algorithms = []string{by[0].digest}
		if algorithms[0] == "" {
			algorithms[0] = "SHA-256"
		}
	}
	for _, f := range files {
		manifest.WriteString(fold("Name: " + f.Name))
		for _, d := range algorithms {
			manifest.WriteString(d + "-Digest: " + digestText(d, f.Data) + "\r\n")
		}
		manifest.WriteString("\r\n")
	}
	text := manifest.String()
	if by[0].manifest != nil {
		text = by[0].manifest(text)
	}
	entries := []ziptest.Entry{entry(manifestName, text)}
	for _, s := range by {
		if s.digest == "" {
			s.digest = "SHA-256"
		}
		if s.name == "" {
			s.name = "K"
		}
		if s.ext == "" {
			s.ext = "EC"
			if _, ok := identities()[s.by].key.(*rsa.PrivateKey); ok {
				s.ext = "RSA"
			}
		}
		sf := s.signatureFile(text)
		if s.file != nil {
			sf = s.file(sf)
		}
		entries = append(entries, entry("META-INF/"+s.name+".SF", sf),
			entry("META-INF/"+s.name+"."+s.ext, string(s.block([]byte(sf), oidData, s.internal))))
	}
	return append(entries, files...)
}

// signatureFile makes a .SF file for a manifest whose lines end in CR LF.
func (s *signing) signatureFile(manifest string) string {
	var b strings.Builder
	b.WriteString("Signature-Version: 1.0\r\n")
	sections := strings.SplitAfter(manifest, "\r\n\r\n")
	if !s.sectionsOnly {
		fmt.Fprintf(&b, "%s-Digest-Manifest: %s\r\n", s.digest, digestText(s.digest, []byte(manifest)))
		if !s.noMain {
			b.WriteString(fold(fmt.Sprintf("%s-Digest-Manifest-Main-Attributes: %s", s.digest, digestText(s.digest, []byte(sections[0])))))
		}
	}
	b.WriteString("\r\n")
	for _, section := range sections[1:] {
		if !strings.HasPrefix(section, "Name: ") {
			continue
		}
		lines := strings.SplitAfter(section, "\r\n")
		b.WriteString(lines[0])
		for _, line := range lines[1:] {
			if !strings.HasPrefix(line, " ") {
				break
			}
			b.WriteString(line)
		}
		fmt.Fprintf(&b, "%s-Digest: %s\r\n\r\n", s.digest, digestText(s.digest, []byte(section)))
	}
	return b.String()
}
