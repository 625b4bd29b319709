package jar

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// issue makes a certificate that is valid around a day, by parent or by itself.
func issue(t *testing.T, name string, day time.Time, usage x509.ExtKeyUsage, parent *x509.Certificate, by *ecdsa.PrivateKey) (*Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: day.AddDate(0, 0, -1), NotAfter: day.AddDate(0, 0, 1),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{usage}, BasicConstraintsValid: true, IsCA: parent == nil,
	}
	if parent == nil {
		c.NotAfter, parent, by = day.AddDate(50, 0, 0), c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, by)
	require.NoError(t, err)
	made, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &Certificate{X509: made}, key
}

// TestTimestampOfChain: the time of a timestamp counts for an expired signer only if its authority leads to
// the roots.
func TestTimestampOfChain(t *testing.T) {
	t.Parallel()
	signed := time.Date(2020, 6, 1, 0, 0, 0, 0, time.UTC)
	root, rootKey := issue(t, "root", signed, x509.ExtKeyUsageAny, nil, nil)
	signer, _ := issue(t, "signer", signed, x509.ExtKeyUsageCodeSigning, root.X509, rootKey)
	authority, _ := issue(t, "authority", signed, x509.ExtKeyUsageTimeStamping, root.X509, rootKey)
	codeOnly, _ := issue(t, "no authority", signed, x509.ExtKeyUsageCodeSigning, root.X509, rootKey)
	anybody, _ := issue(t, "anybody", signed, x509.ExtKeyUsageTimeStamping, nil, nil)
	roots := x509.NewCertPool()
	roots.AddCert(root.X509)
	for name, c := range map[string]struct {
		timestamp *Timestamp
		now       time.Time
		counts    bool
	}{
		"in its time":               {nil, signed, true},
		"expired":                   {nil, signed.AddDate(5, 0, 0), false},
		"by an authority":           {&Timestamp{signed, []*Certificate{authority}}, signed.AddDate(5, 0, 0), true},
		"by anybody":                {&Timestamp{signed, []*Certificate{anybody}}, signed.AddDate(5, 0, 0), false},
		"by a signer of code":       {&Timestamp{signed, []*Certificate{codeOnly}}, signed.AddDate(5, 0, 0), false},
		"by nobody":                 {&Timestamp{signed, nil}, signed.AddDate(5, 0, 0), false},
		"when it was not yet valid": {&Timestamp{signed.AddDate(-1, 0, 0), []*Certificate{authority}}, signed.AddDate(5, 0, 0), false},
	} {
		s := &Signer{Certificates: []*Certificate{signer}, Timestamp: c.timestamp}
		s.checkChain(&VerifyOptions{Roots: roots, Now: c.now}, []*Certificate{signer})
		assert.Equal(t, c.counts, s.Refused == nil, "%s: %v", name, s.Refused)
	}
}
