package backend

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// foreign is a Backend of another package that tells nothing.
type foreign struct{ Backend }

// wrapper is one that can be seen through.
type wrapper struct{ Backend }

func (w wrapper) Unwrap() Backend { return w.Backend }

func wholeSection(t *testing.T, b Backend) Backend {
	t.Helper()
	s, err := Section(b, 0, b.Size())
	require.NoError(t, err)
	return s
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	file := mustOpen(t, ordinary(), tempFile(t, "content"), Pread)
	pread := Info{Kind: Pread, Asked: Pread, Name: "pread", Reason: "asked for"}
	memory := Info{Name: "memory", Reason: "given as bytes"}
	reader := Info{Name: "reader", Reason: "given as an io.ReaderAt"}
	part := Info{Name: "section", Reason: "part of a pread backend (asked for)"}
	for _, test := range []struct {
		b    Backend
		want Info
	}{
		{file, pread},
		{wrapper{file}, pread},
		{wrapper{wrapper{file}}, pread},
		{Bytes(nil), memory},
		{ReaderAt(bytes.NewReader(nil), 0), reader},
		{ReaderAt(file, 1), reader},
		{wholeSection(t, file), part},
		{wholeSection(t, wrapper{file}), part},
		{wrapper{wholeSection(t, wholeSection(t, file))}, part},
		{wholeSection(t, Bytes(nil)), Info{Name: "section", Reason: "part of a memory backend (given as bytes)"}},
		{foreign{file}, Info{Name: "reader", Reason: "given as a backend.foreign"}},
		{wrapper{nil}, Info{Name: "reader", Reason: "given as a backend.wrapper"}},
		{nil, Info{Name: "reader", Reason: "given as a <nil>"}},
	} {
		assert.Equal(t, test.want, Describe(test.b), "%T", test.b)
	}
}
