package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

// manyArchives makes archives of which some print much, some fail, some hold others, and returns
// their names and the entries that there are.
func manyArchives(t *testing.T) (names, entries []string) {
	dir := t.TempDir()
	inner := ziptest.Archive{Entries: []ziptest.Entry{{Name: "inner", Data: []byte("line\n")}}}.Bytes()
	for i := range 60 {
		name := filepath.Join(dir, fmt.Sprintf("%02d.zip", i))
		names = append(names, name)
		if i%7 == 3 {
			continue // there is none
		}
		n := 1
		if i%5 == 0 {
			n = 6000 // more than a turn holds back
		}
		var a ziptest.Archive
		for j := range n {
			e := ziptest.Entry{Name: fmt.Sprintf("%s%04d", strings.Repeat("directory/", 8), j), Data: []byte("line\n")}
			if j%100 == 50 {
				e.Header = func(h *ziptest.Header) { h.CRC32++ }
			}
			a.Entries = append(a.Entries, e)
			entries = append(entries, name+"!/"+e.Name)
		}
		for j := range 3 {
			in := fmt.Sprintf("lib/%d.jar", j)
			a.Entries = append(a.Entries, ziptest.Entry{Name: in, Data: inner, Method: ziptest.Deflate})
			entries = append(entries, name+"!/"+in, name+"!/"+in+"!/inner")
		}
		// The archive's own come first.
		m := len(entries) - 6
		copy(entries[m:], []string{entries[m], entries[m+2], entries[m+4], entries[m+1], entries[m+3], entries[m+5]})
		require.NoError(t, a.WriteFile(name))
	}
	return names, entries
}

// TestSearchOrder: what archives searched in parallel print and say is in their order.
func TestSearchOrder(t *testing.T) {
	t.Parallel()
	names, entries := manyArchives(t)
	for range 3 {
		code, stdout, stderr := runFor(append([]string{"find", "**"}, names...)...)
		assert.Equal(t, exitDone, code)
		require.Equal(t, strings.Join(entries, "\n")+"\n", stdout)
		var missing []string
		for line := range strings.Lines(stderr) {
			missing = append(missing, strings.Split(line, ": ")[1])
		}
		var want []string
		for i := 3; i < len(names); i += 7 {
			want = append(want, names[i])
		}
		require.Equal(t, want, missing)
	}
	_, want, said := runFor(append([]string{"grep", "line"}, names...)...)
	var lines strings.Builder
	for _, name := range entries {
		if !strings.HasSuffix(name, "50") && !strings.HasSuffix(name, ".jar") {
			lines.WriteString(name + ":1:line\n")
		}
	}
	require.True(t, lines.String() == want)
	for range 3 {
		_, stdout, stderr := runFor(append([]string{"grep", "line"}, names...)...)
		require.Equal(t, want, stdout)
		require.Equal(t, said, stderr)
	}
}

// TestSearchFirst: the first hit is that in the order of the arguments, and messages are those
// of what comes before it.
func TestSearchFirst(t *testing.T) {
	t.Parallel()
	names, entries := manyArchives(t)
	for range 5 {
		code, stdout, stderr := runFor(append([]string{"find", "--first", "**"}, names[3:]...)...)
		assert.Equal(t, exitDone, code)
		assert.Equal(t, 1, strings.Count(stdout, "\n"))
		assert.Contains(t, entries, strings.TrimSuffix(stdout, "\n"))
		assert.True(t, strings.HasPrefix(stdout, names[4]), stdout)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}

// TestSearchOutputFails: when the reader of the output stops the search ends.
func TestSearchOutputFails(t *testing.T) {
	t.Parallel()
	names, _ := manyArchives(t)
	for _, args := range [][]string{{"find", "**"}, {"grep", "line"}} {
		var stderr bytes.Buffer
		code := run(append(args, names...), strings.NewReader(""), writerFunc(func(p []byte) (int, error) { return 0, io.ErrClosedPipe }), &stderr)
		assert.Equal(t, exitOutput, code)
		assert.Contains(t, stderr.String(), "standard output")
	}
}
