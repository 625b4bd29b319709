package main

import (
	"bytes"
	"fmt"
	"hash/crc32"
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

// TestSearchOutputsTogether: where both outputs are one, lines and messages come in the order of the entries.
func TestSearchOutputsTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var names []string
	var want strings.Builder
	for i := range 6 {
		name := filepath.Join(dir, fmt.Sprintf("%d.zip", i))
		names = append(names, name)
		var a ziptest.Archive
		for j := range 1 + 1500*(i%3) { // some are more than a turn holds back
			e := ziptest.Entry{Name: fmt.Sprintf("%s%04d", strings.Repeat("directory/", 8), j), Data: []byte("line\n")}
			switch j % 7 {
			case 3:
				e.Header = func(h *ziptest.Header) { h.CRC32++ }
				fmt.Fprintf(&want, "zipcat: %s: %s: damaged\n", name, e.Name)
			case 5:
				e.Flags |= ziptest.FlagEncrypted
				e.Raw = ziptest.EncryptZipCrypto(e.Data, "password", byte(crc32.ChecksumIEEE(e.Data)>>24))
				fmt.Fprintf(&want, "zipcat: %s: %s: damaged\n", name, e.Name)
			default:
				if j%500 == 1 { // is not held in memory, and fails after a line was printed
					e.Data = append([]byte("line\n"), make([]byte, wholeSize)...)
					e.Header = func(h *ziptest.Header) { h.CRC32++ }
					fmt.Fprintf(&want, "%s!/%s:1:line\nzipcat: %s: %s: damaged\n", name, e.Name, name, e.Name)
				} else {
					fmt.Fprintf(&want, "%s!/%s:1:line\n", name, e.Name)
				}
			}
			a.Entries = append(a.Entries, e)
		}
		require.NoError(t, a.WriteFile(name))
	}
	for range 3 {
		var both bytes.Buffer
		code := run(append([]string{"grep", "-a", "line"}, names...), strings.NewReader(""), &both, &both)
		assert.Equal(t, exitDone, code)
		var got strings.Builder
		for line := range strings.Lines(both.String()) {
			if strings.HasPrefix(line, "zipcat: hint: ") {
				continue
			}
			if strings.HasPrefix(line, "zipcat: ") {
				fields := strings.SplitN(line, ": ", 4)
				line = strings.Join(fields[:3], ": ") + ": damaged\n"
			}
			got.WriteString(line)
		}
		require.True(t, want.String() == got.String())
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
