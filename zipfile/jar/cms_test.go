package jar_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/jar"
)

func TestBase64Value(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "YQ==": "a", "YWI=": "ab", "YWJj": "abc", "YWJjZA==": "abcd", "YQ": "a", "YWI": "ab",
		" Y W\r\nI=\t": "ab", "Y-W_I=": "ab", "YR==": "a", "YQ===": "a", "YWI==": "ab", "YWI= =": "ab", "+/+/": "\xfb\xff\xbf",
	} {
		got, ok := jar.Base64Value(text)
		assert.True(t, ok, "%q", text)
		assert.Equal(t, want, string(got), "%q", text)
	}
	for _, text := range []string{"Y", "Y=", "YQ=", "YQ= =", "YWJj=", "YQ==YQ==", "=", "YWJjZ"} {
		_, ok := jar.Base64Value(text)
		assert.False(t, ok, "%q", text)
	}
	for n := range 70 {
		b := []byte(strings.Repeat("\xf7\x01z", n)[:n])
		got, ok := jar.Base64Value(base64.StdEncoding.EncodeToString(b))
		require.True(t, ok)
		require.Equal(t, string(b), string(got))
	}
}

func TestDefinite(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70_000)
	for _, c := range []struct {
		name     string
		in, want []byte // nil: nothing to convert
	}{
		{"DER", tlv(sequence, tlv(octets, []byte("a"))), nil},
		{"empty", indefinite(sequence), tlv(sequence)},
		{"element", indefinite(sequence, tlv(octets, []byte("a"))), tlv(sequence, tlv(octets, []byte("a")))},
		{"within a definite one", tlv(sequence, indefinite(set, tlv(octets)), tlv(octets)), tlv(sequence, tlv(set, tlv(octets)), tlv(octets))},
		{"pieces", indefinite(0x24, tlv(octets, []byte("a")), tlv(octets, []byte("bc"))), tlv(octets, []byte("abc"))},
		{"pieces, definite", tlv(0x24, tlv(octets, []byte("a")), tlv(octets, []byte("bc"))), tlv(octets, []byte("abc"))},
		{"pieces of pieces", indefinite(0x24, indefinite(0x24, tlv(octets, []byte("a"))), tlv(octets, []byte("b"))), tlv(octets, []byte("ab"))},
		{"other pieces", indefinite(0x24, tlv(sequence)), nil},
		{"large", indefinite(sequence, tlv(octets, []byte(long))), tlv(sequence, tlv(octets, []byte(long)))},
		{"128 bytes", indefinite(sequence, tlv(octets, []byte(long[:126]))), tlv(sequence, tlv(octets, []byte(long[:126])))},
		{"300 bytes", indefinite(sequence, tlv(octets, []byte(long[:300]))), tlv(sequence, tlv(octets, []byte(long[:300])))},
		{"what follows", append(indefinite(sequence), "tail"...), tlv(sequence)},
		{"cut off", indefinite(sequence)[:3], nil},
		{"no end", []byte{sequence, 0x80}, nil},
		{"primitive", []byte{octets, 0x80, 0, 0}, nil},
		{"nothing", nil, nil},
		{"one byte", []byte{sequence}, nil},
		{"long tag", []byte{0x3f, 0x80, 0, 0}, nil},
		{"deep", []byte(strings.Repeat("\x30\x80", 100_000)), nil},
	} {
		got, ok := jar.Definite(c.in)
		assert.Equal(t, c.want != nil, ok, c.name)
		if ok {
			assert.Equal(t, c.want, got, c.name)
		}
	}
}

// TestParseBlockTruncated cuts off and changes each byte of a block: no panic, and no block that
// is cut off is taken.
func TestParseBlockTruncated(t *testing.T) {
	t.Parallel()
	for _, s := range []signing{{by: "leaf", pss: true, protect: "SHA-256"}, {by: "rsa", indefinite: true, internal: true}} {
		b := signJar(signedFiles(), s)[2].Data
		require.NoError(t, jar.ParseBlock(b))
		for i := range b {
			require.Error(t, jar.ParseBlock(b[:i]), i)
			for _, c := range []byte{0, 0x30, 0x80, 0xff, b[i] ^ 1} {
				changed := append([]byte(nil), b...)
				changed[i] = c
				_ = jar.ParseBlock(changed)
			}
		}
	}
}
