package backend

import (
	"encoding/json"
	"flag"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestKindText(t *testing.T) {
	t.Parallel()
	for _, k := range []struct {
		kind Kind
		text string
	}{{Auto, "auto"}, {Pread, "pread"}, {Mapped, "mapped"}} {
		assert.Equal(t, k.text, k.kind.String())
		text, err := k.kind.MarshalText()
		assert.NoError(t, err)
		assert.Equal(t, k.text, string(text))
		var got Kind
		assert.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, k.kind, got)
	}

	var k Kind
	assert.NoError(t, k.UnmarshalText([]byte("mmap")))
	assert.Equal(t, Mapped, k)
	for _, text := range []string{"", "Auto", "mapped ", "nio"} {
		k := Pread
		assert.ErrorContains(t, k.UnmarshalText([]byte(text)), "want auto, pread or mapped", text)
		assert.Equal(t, Pread, k, "an error changes nothing")
	}

	assert.Equal(t, "Kind(3)", Kind(3).String())
	_, err := Kind(3).MarshalText()
	assert.Error(t, err)
}

func TestKindInFlagsAndJSON(t *testing.T) {
	t.Parallel()
	var k Kind
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.TextVar(&k, "backend", Auto, "")
	require.NoError(t, flags.Parse([]string{"-backend=mmap"}))
	assert.Equal(t, Mapped, k)
	assert.Error(t, flags.Parse([]string{"-backend=other"}))

	text, err := json.Marshal(map[string]Kind{"backend": Pread})
	require.NoError(t, err)
	assert.Equal(t, `{"backend":"pread"}`, string(text))
}
