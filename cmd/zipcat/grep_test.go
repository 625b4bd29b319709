package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
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
				m, err := newMatcher([]string{pattern}, false, ignoreCase, word)
				require.NoError(t, err)
				re := pattern
				if ignoreCase {
					re = "(?i:" + re + ")"
				}
				if word {
					begin, end := `\b`, `\b`
					if pattern == "é" {
						begin = `\B`
					}
					if pattern == "é" || pattern == "a\r" || pattern == "x\x00" {
						end = `\B`
					}
					re = begin + "(?:" + re + ")" + end
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
	_, err := newMatcher([]string{"a\nb"}, true, false, false)
	assert.ErrorIs(t, err, errPatternLines)
	_, err = newMatcher([]string{"("}, false, false, false)
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
		if raceEnabled && len(pattern)%3 > 0 {
			continue // it takes ten times as long
		}
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
	m, err := newMatcher([]string{"^b+$|e$"}, false, false, false)
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
		assert.Equal(t, []string{"a 2", "b 2048 1048581 true", "c 2", "d 2048 1048576 false", "e 2048 1048577 true"}, got)
		assert.Equal(t, io.EOF, in.err)
	}
}

// TestLongLineParts: a line of which parts are searched has the matches that it has as a whole.
func TestLongLineParts(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	words := []string{"needle", "NEEDLE", "needles", "xneedle", "stop", "ſtop", "é", "日本", "\xff", "a.b", " ", " ", "-", "@a", "\r", "zz"}
	for _, pattern := range []string{"needle", "^needle", "needle$", "absent", "stop", "@a", "a.{0,9}s\\b", "[^x]needle", "é", "\ufffd", "zz+", "$", "^"} {
		for _, flags := range [][2]bool{{}, {true, false}, {false, true}, {true, true}} {
			m, err := newMatcher([]string{pattern}, false, flags[0], flags[1])
			require.NoError(t, err)
			if m.longest > maxMatch {
				m.longest = 64 // of what stands in the lines
			}
			for range 12 {
				var b strings.Builder
				for range 1 + random.IntN(3) {
					b.WriteString(strings.Repeat(".", random.IntN(2000)))
					for range random.IntN(12) {
						b.WriteString(words[random.IntN(len(words))])
					}
				}
				line := strings.TrimRight(b.String(), "\r")
				for _, size := range []int{m.longest + 24, m.longest + 100, m.longest + 3000} {
					in := &lineReader{r: strings.NewReader(line + "\r\nnext"), buf: make([]byte, size)}
					in.fill()
					require.Equal(t, m.re.MatchString(line), in.matchParts(m), "%v in %q, %d", m.re, line, size)
				}
			}
		}
	}
}

// TestLongLineMatches: the matches in a long line are those that it has as a whole.
func TestLongLineMatches(t *testing.T) {
	t.Parallel()
	for k, c := range []struct {
		pattern           string
		ignoreCase, words bool
	}{
		{"needle", false, false}, {"NEEDLE", true, false}, {"needle", false, true}, {"needle", true, true}, {"^é+|needle$", false, false}, {"x*", false, false},
		{"é", false, false}, {`\b.{3}needle|end$`, false, false}, {"absent", false, false},
	} {
		m, err := newMatcher([]string{c.pattern}, false, c.ignoreCase, c.words)
		require.NoError(t, err)
		for shift := range 2 {
			if raceEnabled && (k+shift)%5 > 0 {
				continue // it takes ten times as long
			}
			var b strings.Builder
			for _, to := range []int{3, maxLine - maxMatch, maxLine, 2*maxLine - maxMatch, 2 * maxLine, 5 * maxLine / 2} {
				for b.Len() < to-60 {
					b.WriteString("éé. éé. éé. éé. ééééééééé. ")
				}
				b.WriteString(strings.Repeat("é", 10)[:20-shift] + "needle needle xneedle NEEDLE xx " + strings.Repeat("é.", shift) + "needle")
			}
			line := b.String()
			var want, got []string
			for _, match := range m.re.FindAllString(line, -1) {
				if match != "" {
					want = append(want, match)
				}
			}
			in := newLineReader(strings.NewReader(line + "\r\nnext"))
			in.fill()
			in.each(m, func(match []byte) {
				if len(match) > 0 {
					got = append(got, string(match))
				}
			})
			require.True(t, slices.Equal(want, got), "%s, %d: %d and %d matches", c.pattern, shift, len(want), len(got))
			require.Equal(t, "next", string(in.lines()))
		}
	}
}

// TestGrepContextMemory: lines that may be printed before one that matches take bounded memory.
func TestGrepContextMemory(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.zip")
	long := strings.Repeat("y", maxLine+1)
	require.NoError(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "short", Data: []byte(strings.Repeat("x\n", 2_000_000) + "needle\n"), Method: ziptest.Deflate},
		{Name: "long", Data: []byte(strings.Repeat(long+"\n", 4) + "needle\n" + long), Method: ziptest.Deflate},
	}}.WriteFile(name))
	_, stdout, _ := runFor("grep", "--no-filename", "-C", "3000000", "needle", name)
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	n := len(lines) - 8
	assert.True(t, maxPast/(pastCost+1) <= n && n <= maxPast/(pastCost+1)+maxLine/2, "%d lines", n)
	assert.Equal(t, fmt.Sprintf("%d-x", 2_000_000-n+1), lines[0])
	assert.Equal(t, "2000001:needle", lines[n])
	assert.Equal(t, "--", lines[n+1])
	assert.Equal(t, "1-"+long[:maxShown]+fmt.Sprintf(" ... [%d of %d bytes]", maxShown, len(long)), lines[n+2])
	assert.Equal(t, "5:needle", lines[n+6])
	assert.Equal(t, "6-"+long[:maxShown]+fmt.Sprintf(" ... [%d of %d bytes]", maxShown, len(long)), lines[n+7])

	_, stdout, _ = runFor("grep", "-c", "-v", "needle", name)
	assert.Equal(t, fmt.Sprintf("%s!/short:2000000\n%s!/long:5\n", name, name), stdout)
	_, stdout, _ = runFor("grep", "--no-filename", "-m", "1", "-v", "needle", "--include", "long", name)
	assert.True(t, strings.HasPrefix(stdout, "1:yyy"))
	assert.Equal(t, 1, strings.Count(stdout, "\n"))
	_, stdout, _ = runFor("grep", "--no-filename", "-o", "-m", "1", "yneedle|^y{1,3}", "--include", "long", name)
	assert.Equal(t, "1:yyy\n", stdout)
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
