package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

// matching returns the numbers of the lines that match, as the regexp package alone finds them.
func matching(t *testing.T, re, text string) []int {
	r, err := regexp.Compile(re)
	require.NoError(t, err)
	var list []int
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if text != "" && r.MatchString(strings.TrimSuffix(line, "\r")) {
			list = append(list, i+1)
		}
	}
	return list
}

// TestMatcher: the short cuts find what the regular expression does.
func TestMatcher(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"Class", "class", "loader", "LOADER", "ſtop", "STOP", "\u212aey", "key", "a\xffb", "a.b", " ", "\n", "\n", "\r\n", "\r", "é", "É", "x", "\x00", ""}
	var texts []string
	for range 200 {
		var b strings.Builder
		for range random.IntN(40) {
			b.WriteString(words[random.IntN(len(words))])
		}
		texts = append(texts, b.String())
	}
	texts = append(texts, strings.Repeat("x", 10000)+"CLASSLOADER", strings.Repeat("y\n", 5000)+"claSS")
	for _, pattern := range []string{
		"class", "Class", "(?i)class", "classloader", "stop", "key", "a\ufffdb", "a.b", `a\.b`, "^class", "class$", "^$", "", "x*", "x+class",
		"(class|key)", "(class)(loader)", "c(?:las){1,3}s", "c(?:las)*s", "(?i:cl)ass", "[^x]", `\bkey\b`, "é", "a\r", "x\x00", "loader.*class",
	} {
		for _, ignoreCase := range []bool{false, true} {
			for _, word := range []bool{false, true} {
				m, err := newMatcher(pattern, false, ignoreCase, word)
				require.NoError(t, err)
				re := pattern
				if ignoreCase {
					re = "(?i:" + re + ")"
				}
				if word {
					re = `\b(?:` + re + `)\b`
				}
				for _, text := range texts {
					var got []int
					for at := 0; ; {
						start, end, ok := m.next([]byte(text), at)
						if !ok {
							break
						}
						got = append(got, 1+strings.Count(text[:start], "\n"))
						at = end + 1
					}
					require.Equal(t, matching(t, re, text), got, "%q in %q", re, text)
				}
			}
		}
	}
	_, err := newMatcher("a\nb", true, false, false)
	assert.ErrorIs(t, err, errPatternLines)
	_, err = newMatcher("(", false, false, false)
	assert.Error(t, err)
}

// TestGrepLongLines: lines and entries that are not held in memory match as short ones do.
func TestGrepLongLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é.", 360_000)
	text := "first\n" + long + "needle\nmiddle\r\n" + "needle" + long + "\r\n" + long + long + "end\n" + strings.Repeat("x\n", 600_000) + "last needle"
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "large", Data: []byte(text), Method: ziptest.Deflate}}}.WriteFile(name))
	for _, pattern := range []string{"needle", "needle$", "^needle", "end$", "^é", "é.n", ".{3}end", "^last", "first", "middle$", `\bneedle`, "absent", "(?i)NEEDLE", "^x$"} {
		var want strings.Builder
		lines := matching(t, pattern, text)
		if len(lines) > 0 {
			fmt.Fprintf(&want, "%s!/large:%d\n", name, len(lines))
		}
		code, stdout, _ := runFor("grep", "-c", pattern, name)
		assert.Equal(t, want.String(), stdout, pattern)
		assert.Equal(t, len(lines) == 0, code == exitNoMatch, pattern)
		if len(lines) > 10 {
			continue
		}
		_, stdout, _ = runFor("grep", pattern, name)
		printed := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
		for i, n := range lines {
			assert.True(t, strings.HasPrefix(printed[i], fmt.Sprintf("%s!/large:%d:", name, n)), "%s: %.100q", pattern, printed[i])
			assert.Less(t, len(printed[i]), 3000)
		}
	}
	_, stdout, _ := runFor("grep", "needle$", name)
	assert.Contains(t, stdout, fmt.Sprintf("... [2048 of %d bytes]\n", len(long)+len("needle")))
}

// TestGrepCutLine: of a long line the part with the match is printed.
func TestGrepCutLine(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.zip")
	line := strings.Repeat("é", 5000) + "needle" + strings.Repeat("é", 5000)
	require.NoError(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "x", Data: []byte(line)}}}.WriteFile(name))
	_, stdout, _ := runFor("grep", "needle", name)
	assert.Contains(t, stdout, "x:1:... é")
	assert.Contains(t, stdout, "éneedleé")
	assert.Contains(t, stdout, fmt.Sprintf("é ... [2048 of %d bytes]\n", len(line)))
	assert.NotContains(t, stdout, "\ufffd")
	_, stdout, _ = runFor("grep", "dleé*$", name)
	assert.Contains(t, stdout, "éneedleé")
}

func TestLineReader(t *testing.T) {
	t.Parallel()
	text := "a\n" + strings.Repeat("b", maxLine+5) + "\r\nc\n" + strings.Repeat("d", maxLine) + "\n" + strings.Repeat("e", maxLine+1)
	m, err := newMatcher("^b+$|e$", false, false, false)
	require.NoError(t, err)
	for _, r := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
		in := newLineReader(r)
		var got []string
		for !in.ended() {
			if block := in.lines(); len(block) > 0 {
				for line := range bytes.Lines(block) {
					got = append(got, fmt.Sprintf("%.1s %d", line, len(line)))
				}
			} else if !in.ended() {
				shown, n, ok := in.match(m)
				got = append(got, fmt.Sprintf("%.1s %d %d %t", shown, len(shown), n, ok))
			}
		}
		assert.Equal(t, []string{"a 2", "b 2048 1048582 true", "c 2", "d 2048 1048576 false", "e 2048 1048577 true"}, got)
		assert.Equal(t, io.EOF, in.err)
	}
}

func TestWholeRunes(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "abc": "abc", "é": "é", "\xa9é": "é", "é\xc3": "é", "日\xe6\x97": "日", "\x97\xa5日": "日", "a\xff": "a\xff", "\xf0\x9f\x91": ""} {
		assert.Equal(t, want, string(wholeRunes([]byte(in))), "%q", in)
	}
}

// runFor runs the command and returns what came of it.
func runFor(args ...string) (code int, stdout, stderr string) {
	var out, said bytes.Buffer
	code = run(args, strings.NewReader(""), &out, &said)
	return code, out.String(), said.String()
}
