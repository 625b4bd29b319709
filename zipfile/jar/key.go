package jar

import (
	"bytes"
	"crypto/dsa" //lint:ignore SA1019 there are archives that were signed with DSA
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
)

// Sizes of keys, in bits: what counts (jdk.jar.disabledAlgorithms), what is not out of date
// (jdk.security.legacyAlgorithms), and what is taken at all, so that no key takes long. OpenJDK has a
// limit for RSA too.
const (
	minKeyBits  = 1024
	weakKeyBits = 2048
	maxRSABits  = 16384
	maxDSABits  = 4096
	maxDSAOrder = 512
)

// publicKey is a key that can check signatures.
type publicKey struct {
	algorithm string // "RSA", "RSASSA-PSS", "DSA", "EC", "Ed25519"
	bits      int
	key       any         // *rsa.PublicKey, *dsa.PublicKey, *ecdsa.PublicKey, ed25519.PublicKey
	pss       *pssOptions // to which a key of RSASSA-PSS is restricted; may be nil
}

// publicKey decodes the key of a certificate. The error wraps errors.ErrUnsupported where its
// algorithm is unknown.
func (c *Certificate) publicKey() (*publicKey, error) {
	switch oid := c.key.oid; {
	case oid.Equal(oidRSA), oid.Equal(oidPSS):
		return c.rsaKey()
	case oid.Equal(oidDSA):
		return c.dsaKey()
	case oid.Equal(oidEC):
		var curve asn1.ObjectIdentifier
		if _, err := asn1.Unmarshal(c.key.parameters, &curve); err != nil {
			return nil, fmt.Errorf("EC key without the name of a curve: %w", errors.ErrUnsupported)
		}
		for _, known := range curves {
			if !known.oid.Equal(curve) {
				continue
			}
			curve := known.curve()
			key, err := ecdsa.ParseUncompressedPublicKey(curve, c.keyBits)
			if err != nil {
				return nil, err
			}
			return &publicKey{algorithm: "EC", bits: curve.Params().BitSize, key: key}, nil
		}
		return nil, fmt.Errorf("elliptic curve %v: %w", curve, errors.ErrUnsupported)
	case oid.Equal(oidEd25519):
		if len(c.keyBits) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("Ed25519 key of %d bytes", len(c.keyBits))
		}
		return &publicKey{algorithm: "Ed25519", bits: 255, key: ed25519.PublicKey(c.keyBits)}, nil
	}
	return nil, fmt.Errorf("key of algorithm %v: %w", c.key.oid, errors.ErrUnsupported)
}

var curves = []struct {
	oid   asn1.ObjectIdentifier
	curve func() elliptic.Curve // makes tables, which programs that verify nothing need not start with
}{
	{asn1.ObjectIdentifier{1, 2, 840, 10045, 3, 1, 7}, elliptic.P256},
	{asn1.ObjectIdentifier{1, 3, 132, 0, 34}, elliptic.P384},
	{asn1.ObjectIdentifier{1, 3, 132, 0, 35}, elliptic.P521},
}

func (c *Certificate) rsaKey() (*publicKey, error) {
	key, err := x509.ParsePKCS1PublicKey(c.keyBits)
	if err != nil {
		return nil, err
	}
	k := &publicKey{algorithm: "RSA", bits: key.N.BitLen(), key: key}
	if k.bits > maxRSABits {
		return nil, fmt.Errorf("RSA key of %d bits, at most %d are taken", k.bits, maxRSABits)
	}
	if c.key.oid.Equal(oidPSS) {
		k.algorithm = "RSASSA-PSS"
		if len(c.key.parameters) > 0 && !bytes.Equal(c.key.parameters, asn1.NullBytes) {
			if k.pss, err = parsePSS(c.key.parameters); err != nil {
				return nil, err
			}
		}
	}
	return k, nil
}

func (c *Certificate) dsaKey() (*publicKey, error) {
	var parameters struct{ P, Q, G *big.Int }
	if _, err := asn1.Unmarshal(c.key.parameters, &parameters); err != nil {
		return nil, fmt.Errorf("DSA parameters: %w", err)
	}
	y := new(big.Int)
	if _, err := asn1.Unmarshal(c.keyBits, &y); err != nil {
		return nil, fmt.Errorf("DSA key: %w", err)
	}
	key := &dsa.PublicKey{Parameters: dsa.Parameters{P: parameters.P, Q: parameters.Q, G: parameters.G}, Y: y}
	for _, n := range []*big.Int{key.P, key.Q, key.G, key.Y} {
		if n.Sign() <= 0 || n.BitLen() > maxDSABits {
			return nil, fmt.Errorf("DSA key with a number of %d bits, at most %d are taken", n.BitLen(), maxDSABits)
		}
	}
	if n := key.Q.BitLen(); n > maxDSAOrder {
		return nil, fmt.Errorf("DSA key with an order of %d bits, at most %d are taken", n, maxDSAOrder)
	}
	return &publicKey{algorithm: "DSA", bits: key.P.BitLen(), key: key}, nil
}

// pssOptions are RSASSA-PSS-params (RFC 4055, 3.1).
type pssOptions struct {
	digest *digestAlgorithm
	salt   int // bytes
}

func parsePSS(parameters []byte) (*pssOptions, error) {
	d := der(parameters)
	in, err := d.sequence(asn1.TagSequence)
	if err != nil {
		return nil, fmt.Errorf("RSASSA-PSS parameters: %w", err)
	}
	o := &pssOptions{digestNamed("SHA-1"), 20}
	mask := o.digest
	digest := func(d der) (*digestAlgorithm, error) {
		a, err := d.algorithm()
		if err != nil {
			return nil, err
		}
		if h := digestByOID(a.oid); h != nil && h.new != nil {
			return h, nil
		}
		return nil, fmt.Errorf("RSASSA-PSS with digest %v: %w", a.oid, errors.ErrUnsupported)
	}
	if v, ok, err := in.optional(0); err != nil {
		return nil, err
	} else if ok {
		if o.digest, err = digest(v); err != nil {
			return nil, err
		}
	}
	if v, ok, err := in.optional(1); err != nil {
		return nil, err
	} else if ok {
		a, err := v.algorithm()
		if err != nil {
			return nil, err
		}
		if !a.oid.Equal(oidMGF1) {
			return nil, fmt.Errorf("RSASSA-PSS with mask %v: %w", a.oid, errors.ErrUnsupported)
		}
		if mask, err = digest(a.parameters); err != nil {
			return nil, err
		}
	}
	if v, ok, err := in.optional(2); err != nil {
		return nil, err
	} else if ok {
		if _, err := asn1.Unmarshal(v, &o.salt); err != nil {
			return nil, err
		}
	}
	if v, ok, err := in.optional(3); err != nil {
		return nil, err
	} else if ok {
		trailer := 0
		if _, err := asn1.Unmarshal(v, &trailer); err != nil || trailer != 1 {
			return nil, errors.New("RSASSA-PSS with another trailer field than 1")
		}
	}
	switch {
	case o.salt < 1 || o.salt > maxRSABits/8: // 0 would mean any length to crypto/rsa
		return nil, fmt.Errorf("RSASSA-PSS with a salt of %d bytes: %w", o.salt, errors.ErrUnsupported)
	case mask != o.digest:
		return nil, fmt.Errorf("RSASSA-PSS with two digests, %s and %s: %w", o.digest.name, mask.name, errors.ErrUnsupported)
	}
	return o, nil
}

var errMismatch = errors.New("the signature does not fit")

// verify checks the signature of data: the content, or its attributes. The error wraps errors.ErrUnsupported where nothing can be said.
func (k *publicKey) verify(info *signerInfo, digest *digestAlgorithm, data []byte) error {
	need := keyAlgorithm(info.signature.oid)
	switch {
	case need == "":
		return fmt.Errorf("signature algorithm %v: %w", info.signature.oid, errors.ErrUnsupported)
	case need != k.algorithm && !(need == "RSASSA-PSS" && k.algorithm == "RSA"):
		return fmt.Errorf("signature by %s with a key of %s", need, k.algorithm)
	}
	if need == "Ed25519" {
		if digest.name != "SHA-512" { // RFC 8419, 3.1
			return fmt.Errorf("Ed25519 with %s", digest.name)
		}
		if !ed25519.Verify(k.key.(ed25519.PublicKey), data, info.value) {
			return errMismatch
		}
		return nil
	}
	sum := digest.sum(data)
	switch key := k.key.(type) {
	case *rsa.PublicKey:
		if need == "RSASSA-PSS" {
			o, err := parsePSS(info.signature.parameters)
			switch {
			case err != nil:
				return err
			case o.digest != digest:
				return fmt.Errorf("RSASSA-PSS with %s for content digested by %s", o.digest.name, digest.name)
			case k.pss != nil && (k.pss.digest != digest || o.salt < k.pss.salt):
				return errors.New("RSASSA-PSS with parameters that its key does not allow")
			}
			if rsa.VerifyPSS(key, digest.hash, sum, info.value, &rsa.PSSOptions{SaltLength: o.salt, Hash: digest.hash}) != nil {
				return errMismatch
			}
			return nil
		}
		if k.bits < minKeyBits {
			return fmt.Errorf("RSA key of %d bits: %w", k.bits, errors.ErrUnsupported) // nor does crypto/rsa take it
		}
		if rsa.VerifyPKCS1v15(key, digest.hash, sum, info.value) != nil {
			return errMismatch
		}
	case *ecdsa.PublicKey:
		if !ecdsa.VerifyASN1(key, sum, info.value) {
			return errMismatch
		}
	case *dsa.PublicKey:
		var rs struct{ R, S *big.Int }
		rest, err := asn1.Unmarshal(info.value, &rs)
		if err != nil || len(rest) > 0 {
			return errMismatch
		}
		if n := (key.Q.BitLen() + 7) / 8; len(sum) > n {
			sum = sum[:n] // FIPS 186-4, 4.7
		}
		if !dsa.Verify(key, sum, rs.R, rs.S) {
			return errMismatch
		}
	}
	return nil
}
