package jar

import (
	"crypto"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/asn1"
	"hash"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	oidData           = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}
	oidSignedData     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	oidContentType    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 3}
	oidMessageDigest  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 4}
	oidTimestampInfo  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 1, 4}
	oidTimestampToken = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 14}
	oidProtection     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 52} // RFC 6211
	oidKeyUsage       = asn1.ObjectIdentifier{2, 5, 29, 15}

	oidRSA     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1}
	oidPSS     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 10}
	oidMGF1    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 8}
	oidDSA     = asn1.ObjectIdentifier{1, 2, 840, 10040, 4, 1}
	oidEC      = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	oidEd25519 = asn1.ObjectIdentifier{1, 3, 101, 112}
)

// digestAlgorithm is an algorithm by which manifests and signatures digest.
type digestAlgorithm struct {
	name string // as java.security.MessageDigest has it
	hash crypto.Hash
	new  func() hash.Hash // nil where Go has none
	oid  asn1.ObjectIdentifier
}

var digestAlgorithms = []*digestAlgorithm{
	{"MD2", 0, nil, asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 2}},
	{"MD5", crypto.MD5, md5.New, asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 5}},
	{"SHA-1", crypto.SHA1, sha1.New, asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}},
	{"SHA-224", crypto.SHA224, sha256.New224, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 4}},
	{"SHA-256", crypto.SHA256, sha256.New, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}},
	{"SHA-384", crypto.SHA384, sha512.New384, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 2}},
	{"SHA-512", crypto.SHA512, sha512.New, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 3}},
	{"SHA-512/224", crypto.SHA512_224, sha512.New512_224, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 5}},
	{"SHA-512/256", crypto.SHA512_256, sha512.New512_256, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 6}},
	{"SHA3-224", crypto.SHA3_224, func() hash.Hash { return sha3.New224() }, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 7}},
	{"SHA3-256", crypto.SHA3_256, func() hash.Hash { return sha3.New256() }, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 8}},
	{"SHA3-384", crypto.SHA3_384, func() hash.Hash { return sha3.New384() }, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 9}},
	{"SHA3-512", crypto.SHA3_512, func() hash.Hash { return sha3.New512() }, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 10}},
}

// digestNamed returns the algorithm of a name in an attribute, as "SHA-256" of SHA-256-Digest, in any
// letter case and with the aliases that the JDK knows; nil if there is none.
func digestNamed(name string) *digestAlgorithm {
	name = strings.ToUpper(name)
	switch name {
	case "SHA", "SHA1":
		name = "SHA-1"
	case "SHA224", "SHA256", "SHA384", "SHA512":
		name = "SHA-" + name[3:]
	}
	for _, a := range digestAlgorithms {
		if a.name == name {
			return a
		}
	}
	return nil
}

func digestByOID(oid asn1.ObjectIdentifier) *digestAlgorithm {
	for _, a := range digestAlgorithms {
		if a.oid.Equal(oid) {
			return a
		}
	}
	return nil
}

func (a *digestAlgorithm) sum(b ...[]byte) []byte {
	h := a.new()
	for _, b := range b {
		h.Write(b)
	}
	return h.Sum(nil)
}

// sha1End is the time from which on SHA-1 does not count any more.
var sha1End = time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC)

// permits tells whether what is digested so counts as signed, as jdk.jar.disabledAlgorithms of
// OpenJDK's java.security says: never with MD2 and MD5, with SHA-1 only if timestamps prove that it
// was signed before 2019. The zero time says that there is no timestamp.
func (a *digestAlgorithm) permits(signed time.Time) bool {
	switch a.name {
	case "MD2", "MD5":
		return false
	case "SHA-1":
		return !signed.IsZero() && signed.Before(sha1End)
	}
	return true
}

// keyAlgorithm tells the algorithm of keys that a signature algorithm needs: "RSA", "RSASSA-PSS",
// "DSA", "EC", "Ed25519", empty if it is unknown. As in sun.security.pkcs.SignerInfo, a digest that it
// names too does not count: that of the signer does.
func keyAlgorithm(oid asn1.ObjectIdentifier) string {
	text := oid.String()
	for _, s := range signatureAlgorithms {
		rest, ok := strings.CutPrefix(text, s.arc)
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(rest); err == nil && slices.Contains(s.last, n) {
			return s.key
		}
	}
	return ""
}

// signatureAlgorithms are identifiers by their last numbers (RFC 8017, A.2; RFC 5758; RFC 8410; NIST's
// Computer Security Objects Register; those of OIW that sun.security.util.KnownOIDs has).
var signatureAlgorithms = []struct {
	arc  string
	last []int
	key  string
}{
	{"1.2.840.113549.1.1.", []int{1, 2, 4, 5, 11, 12, 13, 14, 15, 16}, "RSA"},
	{"1.2.840.113549.1.1.", []int{10}, "RSASSA-PSS"},
	{"1.2.840.10040.4.", []int{1, 3}, "DSA"},
	{"1.2.840.10045.2.", []int{1}, "EC"},
	{"1.2.840.10045.4.", []int{1}, "EC"},
	{"1.2.840.10045.4.3.", []int{1, 2, 3, 4}, "EC"},
	{"2.16.840.1.101.3.4.3.", []int{1, 2, 3, 4, 5, 6, 7, 8}, "DSA"},
	{"2.16.840.1.101.3.4.3.", []int{9, 10, 11, 12}, "EC"},
	{"2.16.840.1.101.3.4.3.", []int{13, 14, 15, 16}, "RSA"},
	{"1.3.101.", []int{112}, "Ed25519"},
	{"1.3.14.3.2.", []int{13, 27}, "DSA"},
	{"1.3.14.3.2.", []int{15, 29}, "RSA"},
}

// signatureName gives the name that Java has for a signature algorithm, "SHA256withRSA".
func signatureName(info *signerInfo, digest *digestAlgorithm) string {
	key := keyAlgorithm(info.signature.oid)
	switch {
	case key == "":
		return info.signature.oid.String()
	case key == "RSASSA-PSS", key == "Ed25519", digest == nil:
		return key
	case key == "EC":
		key = "ECDSA"
	}
	name := digest.name
	if rest, ok := strings.CutPrefix(name, "SHA-"); ok {
		name = "SHA" + rest
	}
	return name + "with" + key
}
