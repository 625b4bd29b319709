package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	jars "zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
)

// complete asks as the scripts do, and returns what is offered and the directive.
func complete(t *testing.T, args ...string) (offered []string, directive string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	require.Equal(t, exitDone, run(append([]string{"__completeNoDesc"}, args...), nil, &stdout, &stderr), "%s", &stderr)
	lines := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
	assert.NotContains(t, stderr.String(), "zipcat: ")
	return lines[:len(lines)-1], lines[len(lines)-1]
}

const (
	compNoFile  = ":4"
	compNoSpace = ":6" // and no files
	compFiles   = ":0"
	compExt     = ":8"
	compDirs    = ":16"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	inner := ziptest.Archive{Entries: []ziptest.Entry{{Name: "in/f"}, {Name: "deep/y.zip", Data: ziptest.Archive{Entries: []ziptest.Entry{{Name: "z"}}}.Bytes()}}}
	dir := t.TempDir()
	jar, no := filepath.Join(dir, "a.jar"), filepath.Join(dir, "no.zip")
	require.NoError(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "META-INF/"}, {Name: "META-INF/MANIFEST.MF"}, {Name: "META-INF/x/y"}, {Name: "top.txt"}, {Name: "two words"},
		{Name: "tab\there"}, {Name: "-flag"}, {Name: "top.txt"},
		deflated("lib/x.jar", inner.Bytes()), {Name: "lib/readme"},
	}}.WriteFile(jar))
	require.NoError(t, os.WriteFile(no, []byte("no archive"), 0o666))
	all := []string{"META-INF/", "top.txt", "two words", "lib/"}
	for _, c := range []struct {
		args      []string
		want      []string
		directive string
	}{
		{[]string{"ls", ""}, jars.ArchiveExtensions(), compExt},
		{[]string{"ls", jar, ""}, all, compNoSpace},
		{[]string{"cat", jar, ""}, all, compNoSpace},
		{[]string{"x", jar, ""}, all, compNoSpace},
		{[]string{"info", jar, ""}, all, compNoSpace},
		{[]string{"cat", jar, "top.txt", "t"}, []string{"top.txt", "two words"}, compNoFile},
		{[]string{"cat", jar, "META-INF/"}, []string{"META-INF/MANIFEST.MF", "META-INF/x/"}, compNoSpace},
		{[]string{"cat", jar, "META-INF/M"}, []string{"META-INF/MANIFEST.MF"}, compNoFile},
		{[]string{"cat", jar, "none"}, []string{}, compNoFile},
		{[]string{"cat", no, ""}, []string{}, compNoFile},
		{[]string{"cat", filepath.Join(dir, "missing.zip"), ""}, []string{}, compNoFile},
		{[]string{"cat", "-", ""}, []string{}, compNoFile},
		{[]string{"cat", dir, ""}, []string{}, compNoFile},
		{[]string{"cat", jar + "!/lib/x.jar", ""}, []string{"in/", "deep/"}, compNoSpace},
		{[]string{"ls", jar + "!/"}, []string{jar + "!/lib/"}, compNoSpace},
		{[]string{"ls", jar + "!/lib/"}, []string{jar + "!/lib/x.jar"}, compNoFile},
		{[]string{"ls", jar + "!/lib/x.jar!/"}, []string{jar + "!/lib/x.jar!/deep/"}, compNoSpace},
		{[]string{"cat", jar + "!/lib/x.jar!/deep/y.zip", ""}, []string{"z"}, compNoFile},
		{[]string{"find", ""}, []string{}, compNoFile},
		{[]string{"find", "pattern", ""}, jars.ArchiveExtensions(), compExt},
		{[]string{"grep", ""}, []string{}, compNoFile},
		{[]string{"grep", "-e", ""}, []string{}, compNoFile},
		{[]string{"grep", "-e", "pattern", ""}, jars.ArchiveExtensions(), compExt},
		{[]string{"grep", "-C", ""}, []string{}, compNoFile},
		{[]string{"test", jar, ""}, jars.ArchiveExtensions(), compExt},
		{[]string{"manifest", ""}, jars.ArchiveExtensions(), compExt},
		{[]string{"manifest", jar, ""}, []string{}, compNoFile},
		{[]string{"serve", ""}, jars.ArchiveExtensions(), compExt},
		{[]string{"serve", jar, ""}, []string{}, compNoFile},
		{[]string{"man", ""}, []string{}, compNoFile},
		{[]string{"ls", "--backend", ""}, []string{"auto", "pread", "mapped"}, compNoFile},
		{[]string{"ls", "--backend=m"}, []string{"mapped"}, compNoFile},
		{[]string{"ls", "--charset", "shift"}, []string{"shift_jis"}, compNoFile},
		{[]string{"ls", "--sort", ""}, offeredOrders, compNoFile},
		{[]string{"ls", "--password", ""}, []string{}, compNoFile},
		{[]string{"ls", "--password-file", ""}, []string{}, compFiles},
		{[]string{"x", "-C", ""}, []string{}, compDirs},
		{[]string{"x", "--workers", ""}, []string{}, compNoFile},
		{[]string{"x", jar, "-x", "META-INF/"}, []string{"META-INF/MANIFEST.MF", "META-INF/x/"}, compNoSpace},
		{[]string{"x", "-x", ""}, []string{}, compNoFile},
		{[]string{"serve", "--ad"}, []string{"--addr"}, compNoFile},
		{[]string{"completion", ""}, []string{"bash", "fish", "powershell", "zsh"}, compNoFile},
	} {
		got, directive := complete(t, c.args...)
		if strings.HasPrefix(c.args[len(c.args)-1], "--backend=") || len(c.args) > 2 && c.args[1] == "--charset" {
			got = filterPrefix(got, c.want[0])
		}
		assert.Equal(t, c.want, append([]string{}, got...), "%q", c.args)
		assert.Equal(t, c.directive, directive, "%q", c.args)
	}
	commands, _ := complete(t, "")
	for _, name := range []string{"cat", "completion", "info", "ls", "man", "serve", "x"} {
		assert.Contains(t, commands, name)
	}
}

// filterPrefix keeps what begins with a word, as shells do with fixed values.
func filterPrefix(list []string, word string) []string {
	var kept []string
	for _, s := range list {
		if strings.HasPrefix(s, word) {
			kept = append(kept, s)
		}
	}
	return kept
}

// TestCompleteBounded: large archives offer some names soon, rather than all.
func TestCompleteBounded(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.zip")
	many := func(yield func(ziptest.Entry) bool) {
		for i := range 2 * maxCompletions {
			if !yield(ziptest.Entry{Name: fmt.Sprint(i)}) {
				return
			}
		}
	}
	require.NoError(t, ziptest.Archive{More: many}.WriteFile(name))
	got, _ := complete(t, "cat", name, "")
	assert.Len(t, got, maxCompletions)
}

// TestCompleteFixed: what is offered is taken; the extensions are those of what find looks into.
func TestCompleteFixed(t *testing.T) {
	t.Parallel()
	for _, ext := range jars.ArchiveExtensions() {
		assert.True(t, jars.ArchiveName("a."+ext), ext)
	}
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, ziptest.Archive{}.WriteFile(name))
	for _, order := range offeredOrders {
		var stderr bytes.Buffer
		assert.Equal(t, exitDone, run([]string{"ls", "--sort", order, name}, nil, io.Discard, &stderr), "%s", &stderr)
	}
	var c charset
	for _, label := range charsetLabels {
		label, _, _ := strings.Cut(label, "\t")
		assert.NoError(t, c.Set(label), label)
	}
}

// TestCompletionScripts: each shell has a script, which bash can read.
func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, exitDone, run([]string{"completion", shell}, nil, &stdout, &stderr), "%s", &stderr)
		assert.Contains(t, stdout.String(), "__complete")
		assert.Empty(t, stderr.String())
		if path, err := exec.LookPath(shell); err == nil && shell == "bash" {
			cmd := exec.Command(path, "-n")
			cmd.Stdin = &stdout
			out, err := cmd.CombinedOutput()
			assert.NoError(t, err, "%s", out)
		}
	}
}
