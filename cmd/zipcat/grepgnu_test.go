package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

// TestGrepAsGNU: what is printed of entries is what GNU grep prints of files.
func TestGrepAsGNU(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("grep", "--version").Output(); err != nil || !bytes.Contains(out, []byte("GNU grep")) {
		t.Skip("there is no GNU grep")
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(7, 7))
	words := []string{"needle", "Needle", "needles", "hay", "hay", "hay", "", "a.c", "abc", "straw needle straw needle", "x", "--"}
	text := func(lines int) []byte {
		var b bytes.Buffer
		for range lines {
			fmt.Fprintf(&b, "%s %s\n", words[random.IntN(len(words))], words[random.IntN(len(words))])
		}
		return b.Bytes()
	}
	long := bytes.Repeat([]byte(strings.Repeat("hay ", 450)+"\n"), 700) // is read in pieces
	files := []ziptest.Entry{
		{Name: "a", Data: []byte("one needle\ntwo\nthree\nneedle\nfive\nsix\nseven\nNeedle needles\nnine")},
		{Name: "empty"}, {Name: "blank", Data: []byte("\n\n\n")}, {Name: "no", Data: []byte("hay\nhay\n")},
		{Name: "some", Data: text(40)}, {Name: "more", Data: text(200)}, {Name: "end", Data: bytes.TrimSuffix(text(20), []byte("\n"))},
		{Name: "large", Data: append(append([]byte("needle\n"), long...), text(30)...)},
	}
	var names []string
	for _, f := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666))
		names = append(names, f.Name)
	}
	both, texts := filepath.Join(dir, "a.zip"), filepath.Join(dir, "texts.zip")
	require.NoError(t, ziptest.Archive{Entries: files}.WriteFile(texts))
	binary := ziptest.Entry{Name: "binary", Data: []byte("needle\nhay\nx\x00x\n")}
	require.NoError(t, os.WriteFile(filepath.Join(dir, binary.Name), binary.Data, 0o666))
	require.NoError(t, ziptest.Archive{Entries: append(files, binary)}.WriteFile(both))
	for i, options := range []string{
		"", "-v", "-o", "-i", "-w", "-c", "-l", "-F", "-n", "-a", "-A 1", "-B 1", "-C 1", "-C 0", "-A 2 -B 1", "-C 3 -A 0", "-B 30", "-C 1000",
		"-m 1", "-m 3", "-m 2 -A 2", "-m 1 -C 5", "-m 2 -o", "-m 3 -c", "-m 1 -l", "-m 3 -v", "-m 2 -v -C 1", "-v -c", "-v -l", "-v -i", "-v -w",
		"-v -A 1", "-v -B 2", "-v -C 1", "-v -F", "-o -i", "-o -w", "-o -F", "-o -c", "-o -l", "-o -a", "-c -C 1", "-l -C 1", "-i -w -C 1", "-a -C 1", "-a -v",
		"--no-filename", "--no-filename -C 1", "--no-filename -o", "--no-filename -c", "--no-filename -l",
	} {
		for k, pattern := range []string{"needle", "^needle", "a.c", "e", "^$", "^", "needle$", "absent", "x|--", "(needle|--)", "straw (--|needle)", "-e needle -e straw", "-e need -e needles -F"} {
			if raceEnabled && (i+k)%6 != 0 {
				continue // it takes ten times as long
			}
			if strings.Contains(options, "-w") && strings.HasPrefix(pattern, "^") && pattern != "^needle" {
				continue // what is empty is a word for GNU grep
			}
			args := strings.Fields(options)
			if strings.HasPrefix(pattern, "-e") {
				args = append(args, strings.Fields(pattern)...)
			} else {
				args = append(args, pattern)
			}
			gnu := exec.Command("grep", append([]string{"-nH"}, args...)...)
			if !strings.Contains(options+pattern, "-F") {
				gnu.Args = append(gnu.Args, "-E")
			}
			gnu.Args = append(append(gnu.Args, "--"), names...)
			archive := texts
			if !strings.Contains(options, "-c") { // in a binary file a NUL ends a line for GNU grep
				archive = both
				gnu.Args = append(gnu.Args, binary.Name)
			}
			gnu.Dir, gnu.Env = dir, append(os.Environ(), "LC_ALL=C", "GREP_COLORS=")
			var said bytes.Buffer // that a binary file matches, in some versions
			gnu.Stderr = &said
			out, err := gnu.Output()
			if _, ok := errors.AsType[*exec.ExitError](err); !ok {
				require.NoError(t, err)
			}
			var want, got []string
			matches := strings.Contains(said.String()+string(out), "binary file matches")
			for line := range strings.Lines(string(out)) {
				if strings.Contains(options, "-c") && (strings.HasSuffix(line, ":0\n") || line == "0\n") {
					continue // zipcat names entries with a match only
				}
				if !strings.HasSuffix(line, "binary file matches\n") {
					want = append(want, strings.ReplaceAll(line, "\x00", "\ufffd"))
				}
			}
			code, stdout, _ := runFor(append(append([]string{"grep"}, args...), archive)...)
			for line := range strings.Lines(strings.ReplaceAll(stdout, archive+innerSep, "")) {
				if line == "Binary entry binary matches\n" {
					require.True(t, matches, "%s %s", options, pattern)
					matches = false
				} else {
					got = append(got, line)
				}
			}
			require.False(t, matches, "%s %s", options, pattern)
			for i := 0; !slices.Equal(want, got) && i < max(len(want), len(got)); i++ {
				require.Equal(t, at(want, i), at(got, i), "%s %s: line %d", options, pattern, i)
			}
			require.Equal(t, gnu.ProcessState.ExitCode() == 0, code == exitDone, "%s %s", options, pattern)
		}
	}
}

// at returns a line, or nothing behind the last.
func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}
