package jar

import (
	"crypto/x509"
	"errors"
	"iter"
	"strings"
	"time"

	"zipcat.dev/zipfile"
)

// State says what signatures tell of an archive or of an entry.
type State string

const (
	Signed   State = "signed"
	Unsigned State = "unsigned"
	Bad      State = "bad"     // there is a signature, and it does not fit
	Missing  State = "missing" // of an entry: it is signed and not in the archive
)

// VerifyOptions for [Verify]. The zero value checks what a signature covers, and not who made it.
type VerifyOptions struct {
	// Roots are the certificates that signers must lead to, by certificates for code signing that
	// were valid when it was signed: at the time of the timestamp, if its authority leads to them by
	// certificates for timestamps, else at Now. A signer who does not lead there counts as none. nil:
	// chains are not checked, and anyone may have signed.
	Roots *x509.CertPool

	Now     time.Time // zero: time.Now
	Workers int       // decoding goroutines; 0: GOMAXPROCS
}

// Verification is what [Verify] found. It does not change.
type Verification struct {
	// State is Bad if a signature does not fit, be it only one of several or that of one entry;
	// else Signed if a signer counts and an entry is signed, or all entries are missing and there are
	// no others; else Unsigned. Entries that are unsigned or missing beside signed ones leave it at
	// Signed.
	State State

	Signers  []*Signer
	Entries  []VerifiedEntry // in the order of the directory; those that are missing follow
	Findings []Finding
}

// Signer is a SignerInfo of a signature block.
type Signer struct {
	File          string // name of the block
	SignatureFile string // name of the .SF file; empty if there is none

	Certificates []*Certificate // the signer's, its issuer's, ... as far as the block has them
	Algorithm    string         // of the signature, as "SHA256withRSA"
	Digests      []string       // by which the .SF file digests the manifest, as "SHA-256"
	Weak         []string       // what is out of date about it but counts, as "SHA-1", "RSA 1024 bits"
	Timestamp    *Timestamp     // nil if there is none

	// WholeManifest says that the manifest is the one that was signed, byte by byte. If not,
	// only the sections of the entries are, MainAttributes tells whether the main section is.
	WholeManifest  bool
	MainAttributes bool

	// Err is why the signature does not fit. Refused is why it counts as none though it may
	// fit, as algorithms that are out of date ([ErrWeak]) or unknown (errors.ErrUnsupported), or
	// a chain that does not end in VerifyOptions.Roots.
	Err     error
	Refused error
}

// Subject returns the name of the signer, "CN=name,O=organization"; empty if it is not known.
func (s *Signer) Subject() string {
	if len(s.Certificates) == 0 {
		return ""
	}
	return s.Certificates[0].Subject
}

// Counts reports whether what it covers is signed.
func (s *Signer) Counts() bool { return s.Err == nil && s.Refused == nil }

// Timestamp says when a signature was there already, by a timestamp token (RFC 3161). Its signature
// was verified. The chain of the authority's certificates is checked with VerifyOptions.Roots only, and
// only to decide whether its time counts for the signer's chain: else anyone may have made it.
type Timestamp struct {
	Time         time.Time
	Certificates []*Certificate // of the authority, as in Signer
}

// Authority returns the name of who made the timestamp.
func (t *Timestamp) Authority() string { return t.Certificates[0].Subject }

// VerifiedEntry is what was found about an entry. It is Bad if its contents are not those of the manifest,
// or if it stands in the .SF file of a signer whose signature does not fit, whoever else signed it.
type VerifiedEntry struct {
	Name    string
	Entry   zipfile.Entry // the zero Entry if it is missing
	State   State
	Signers []*Signer // that cover it, and count
	Err     error     // why it is Bad; [ErrWeak] where it is Unsigned for that
}

// ErrWeak is the error for what is signed by algorithms or keys that do not count any more.
var ErrWeak = errors.New("signed by algorithms that do not count any more")

// Kinds of findings about signatures.
const (
	kindWeak    = "weak"
	kindRefused = "refused"
	kindExpired = "expired"
	kindUsage   = "usage"
	kindNoBlock = "no-block"
	kindForeign = "foreign-signature"
	kindMain    = "main-attributes"
	kindMagic   = "magic"
	kindOutside = "outside"
)

// maxBlocks is how many signature blocks an archive may have.
const maxBlocks = 64

// digestsOf returns the digests among attributes: of those whose names end in suffix, in upper case,
// as "-DIGEST", what is before it, and the value.
func digestsOf(a *Attributes, suffix string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for name, value := range a.All() {
			n := len(name) - len(suffix)
			if n > 0 && equalFold(name[n:], suffix) && !yield(name[:n], value) {
				return
			}
		}
	}
}

// base64Value decodes a digest, and tells whether java.util.Base64's MIME decoder takes it: other
// characters are skipped, and what should fill up the last four may be left out.
func base64Value(text string) (out []byte, ok bool) {
	var bits, n, padding int
	for i := range len(text) {
		c := text[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c -= 'A'
		case 'a' <= c && c <= 'z':
			c -= 'a' - 26
		case '0' <= c && c <= '9':
			c += 52 - '0'
		case c == '+':
			c = 62
		case c == '/':
			c = 63
		case c == '=':
			if padding++; padding == 1 && n%4 == 2 && !strings.HasPrefix(text[i+1:], "=") {
				return nil, false
			}
			continue
		default:
			continue
		}
		if padding > 0 {
			return nil, false
		}
		bits, n = bits<<6&0x3fff|int(c), n+1
		if left := n % 4; left != 1 {
			out = append(out, byte(bits>>((4-left)%4*2)))
		}
	}
	left := n % 4
	return out, left != 1 && (padding == 0 || left != 0 && left+padding >= 4)
}
