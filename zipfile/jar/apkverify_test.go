package jar_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
)

// apkSigning says how a package is signed.
type apkSigning struct {
	by       string
	ids      []uint32 // of signature algorithms
	v3       bool
	digestBy string              // whose certificate it has; empty: by
	signed   []uint32            // algorithms of the digests; nil: ids
	lowest   uint32              // release of Android outside what is signed
	change   func([]byte) []byte // changes the value of the block
}

func lengthPrefixed(parts ...[]byte) []byte {
	b := slices.Concat(parts...)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

func u32(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }

// apkDigest digests a file in pieces.
func apkDigest(name string, parts ...[]byte) []byte {
	var sums []byte
	count := uint32(0)
	for _, part := range parts {
		for piece := range slices.Chunk(part, 1<<20) {
			sums = append(sums, digests[name].sum(slices.Concat([]byte{0xa5}, u32(uint32(len(piece))), piece))...)
			count++
		}
	}
	return digests[name].sum(slices.Concat([]byte{0x5a}, u32(count), sums))
}

// signAPK builds a package and signs it.
func signAPK(t *testing.T, a ziptest.Archive, by ...apkSigning) []byte {
	plain := a.Bytes()
	end := bytes.LastIndex(plain, []byte("PK\x05\x06"))
	directory := int(binary.LittleEndian.Uint32(plain[end+16:]))
	parts := [][]byte{plain[:directory], plain[directory:end], plain[end:]}
	names := map[uint32]string{0x0101: "SHA-256", 0x0102: "SHA-512", 0x0103: "SHA-256", 0x0104: "SHA-512", 0x0201: "SHA-256", 0x0202: "SHA-512", 0x0421: "SHA-256"}
	var pairs []any
	for _, s := range by {
		id := identities()[s.by]
		certificate := id.certificate
		if s.digestBy != "" {
			certificate = identities()[s.digestBy].certificate
		}
		if s.signed == nil {
			s.signed = s.ids
		}
		var sums []byte
		for _, n := range s.signed {
			sums = append(sums, lengthPrefixed(u32(n), lengthPrefixed(apkDigest(names[n], parts...)))...)
		}
		data := slices.Concat(lengthPrefixed(sums), lengthPrefixed(lengthPrefixed(certificate.Raw)))
		releases := []byte(nil)
		if s.v3 {
			data = slices.Concat(data, u32(24), u32(35))
			releases = slices.Concat(u32(24+s.lowest), u32(35))
		}
		data = append(data, lengthPrefixed()...)
		var signatures []byte
		for _, n := range s.ids {
			hash := digests[names[n]].hash
			options := crypto.SignerOpts(hash)
			if n == 0x0101 || n == 0x0102 {
				options = &rsa.PSSOptions{SaltLength: hash.Size(), Hash: hash}
			}
			value, err := id.key.Sign(rand.Reader, digests[names[n]].sum(data), options)
			require.NoError(t, err)
			signatures = append(signatures, lengthPrefixed(u32(n), lengthPrefixed(value))...)
		}
		signer := slices.Concat(lengthPrefixed(data), releases, lengthPrefixed(signatures), lengthPrefixed(id.certificate.RawSubjectPublicKeyInfo))
		value := lengthPrefixed(lengthPrefixed(signer))
		if s.change != nil {
			value = s.change(value)
		}
		number := uint32(0x7109871a)
		if s.v3 {
			number = 0xf05368c0
		}
		pairs = append(pairs, number, string(value))
	}
	a.BeforeDirectory = apkBlock(pairs...)
	return a.Bytes()
}

func verifyAPK(t *testing.T, b []byte) ([]jar.APKSigner, error) {
	z, err := zipfile.New(backend.Bytes(b), nil)
	require.NoError(t, err)
	defer z.Close()
	block, err := jar.ReadAPKSigningBlock(z)
	require.NoError(t, err)
	return block.Verify(t.Context(), z)
}

func TestAPKSigningBlockVerify(t *testing.T) {
	t.Parallel()
	a := ziptest.Archive{Entries: []ziptest.Entry{entry("classes.dex", "dex"), {Name: "large", Data: make([]byte, 3<<19)}}, Comment: "comment"}
	for _, c := range []struct {
		name       string
		by         apkSigning
		algorithms []string
		fails      bool
	}{
		{"RSA", apkSigning{by: "rsa", ids: []uint32{0x0103}}, []string{"SHA256withRSA"}, false},
		{"RSA, SHA-512", apkSigning{by: "rsa", ids: []uint32{0x0104}}, []string{"SHA512withRSA"}, false},
		{"RSASSA-PSS", apkSigning{by: "rsa", ids: []uint32{0x0101, 0x0102}}, []string{"RSASSA-PSS", "RSASSA-PSS"}, false},
		{"EC", apkSigning{by: "p256", ids: []uint32{0x0201}}, []string{"SHA256withECDSA"}, false},
		{"EC, v3", apkSigning{by: "p521", ids: []uint32{0x0202, 0x0201}, v3: true}, []string{"SHA512withECDSA", "SHA256withECDSA"}, false},
		{"an unknown algorithm too", apkSigning{by: "rsa", ids: []uint32{0x0421, 0x0103}}, []string{"SHA256withRSA"}, false},
		{"an unknown algorithm", apkSigning{by: "rsa", ids: []uint32{0x0421}}, nil, true},
		{"no signature", apkSigning{by: "rsa", ids: []uint32{}}, nil, true},
		{"key of another kind", apkSigning{by: "p256", ids: []uint32{0x0103}}, nil, true},
		{"another certificate", apkSigning{by: "rsa", ids: []uint32{0x0103}, digestBy: "rsa2"}, nil, true},
		{"another algorithm was signed", apkSigning{by: "rsa", ids: []uint32{0x0103}, signed: []uint32{0x0103, 0x0104}}, nil, true},
		{"other releases were signed", apkSigning{by: "rsa", ids: []uint32{0x0103}, v3: true, lowest: 1}, nil, true},
		{"signed data changed", apkSigning{by: "rsa", ids: []uint32{0x0103}, change: flip(40)}, nil, true},
		{"key changed", apkSigning{by: "rsa", ids: []uint32{0x0103}, change: flip(-20)}, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			signers, err := verifyAPK(t, signAPK(t, a, c.by))
			require.NoError(t, err)
			require.Len(t, signers, 1)
			if c.fails {
				require.Error(t, signers[0].Err)
				return
			}
			require.NoError(t, signers[0].Err)
			assert.Equal(t, c.algorithms, signers[0].Algorithms)
			assert.Equal(t, "CN="+c.by.by+",O=Example", signers[0].Certificates[0].Subject)
			assert.Equal(t, c.by.v3, signers[0].Scheme == "v3")
			assert.Equal(t, c.by.v3, signers[0].MinSDK == 24)
		})
	}

	good := signAPK(t, a, apkSigning{by: "p256", ids: []uint32{0x0201}}, apkSigning{by: "rsa", ids: []uint32{0x0103}, v3: true})
	signers, err := verifyAPK(t, good)
	require.NoError(t, err)
	require.Len(t, signers, 2)
	require.NoError(t, errors.Join(signers[0].Err, signers[1].Err))
	for name, at := range map[string]int{
		"contents":  bytes.Index(good, []byte("dex")) + 20,
		"large":     1 << 20,
		"directory": bytes.Index(good, []byte("PK\x01\x02")) + 12, // time
		"comment":   len(good) - 1,
	} {
		signers, err := verifyAPK(t, flip(at)(bytes.Clone(good)))
		require.NoError(t, err, name)
		for _, s := range signers {
			assert.Error(t, s.Err, name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	z, err := zipfile.New(backend.Bytes(good), nil)
	require.NoError(t, err)
	defer z.Close()
	block, err := jar.ReadAPKSigningBlock(z)
	require.NoError(t, err)
	_, err = block.Verify(ctx, z)
	require.ErrorIs(t, err, context.Canceled)
}

// TestAPKSigningBlockDamaged cuts off and changes each byte of the signatures: no panic, and nothing that
// fits.
func TestAPKSigningBlockDamaged(t *testing.T) {
	t.Parallel()
	a := ziptest.Archive{Entries: []ziptest.Entry{entry("classes.dex", "dex")}}
	s := apkSigning{by: "p256", ids: []uint32{0x0201}, v3: true}
	n := 0
	s.change = func(b []byte) []byte { n = len(b); return b }
	signAPK(t, a, s)
	check := func(change func([]byte) []byte) {
		s.change = change
		signers, err := verifyAPK(t, signAPK(t, a, s))
		if err != nil {
			require.ErrorIs(t, err, zipfile.ErrFormat)
			return
		}
		for _, s := range signers {
			require.Error(t, s.Err)
		}
	}
	for i := range n {
		check(func(b []byte) []byte { return flip(i % len(b))(b) }) // signatures differ in length
		check(func(b []byte) []byte { return b[:min(i, len(b)-1)] })
	}
}
