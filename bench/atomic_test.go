package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteAtomic(t *testing.T) {
	t.Parallel()
	errFull := errors.New("disk full")
	for _, tt := range []struct {
		name   string
		before string // empty: no file
		fails  error
		want   string
	}{
		{"new", "", nil, "new"},
		{"replaced", "old", nil, "new"},
		{"fails", "", errFull, ""},
		{"fails beside an old one", "old", errFull, "old"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			name := filepath.Join(dir, "file")
			if tt.before != "" {
				require.NoError(t, os.WriteFile(name, []byte(tt.before), 0o666))
			}
			err := writeAtomic(name, func(w io.Writer) error {
				_, err := io.WriteString(w, "new")
				return errors.Join(err, tt.fails)
			})
			assert.ErrorIs(t, err, tt.fails)
			list, err := os.ReadDir(dir)
			require.NoError(t, err)
			if tt.want == "" {
				assert.Empty(t, list)
				return
			}
			assert.Len(t, list, 1, "nothing else is left")
			got, err := os.ReadFile(name)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(got))
		})
	}
}
