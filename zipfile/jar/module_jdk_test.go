package jar_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

// eachJDKNow runs a test for each JDK, or says that there is none.
func eachJDKNow(t *testing.T, test func(t *testing.T, j jdk)) {
	t.Helper()
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a JVM")
	}
	eachJDK(t, test)
}

// jmods returns all files of a suffix in the JMOD files of this JDK and older ones.
func (j jdk) jmods(t *testing.T, suffix string, found func(name string, b []byte)) (files int) {
	var list []string
	for _, o := range jdks() {
		if o.number() <= j.number() {
			more, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(o.java)), "jmods", "*.jmod"))
			list = append(list, more...)
		}
	}
	for _, name := range list {
		z, err := zipfile.Open(name, nil)
		require.NoError(t, err)
		for e := range z.Entries() {
			if strings.HasPrefix(e.Name(), "classes/") && strings.HasSuffix(e.Name(), suffix) {
				b, err := e.ReadAll()
				require.NoError(t, err)
				found(e.Name(), b)
			}
		}
		require.NoError(t, z.Close())
	}
	return len(list)
}

// javaModule writes what ParseModule says of a module-info.class as Modules.java does.
func javaModule(m *jar.Module, err error) string {
	if err != nil {
		return "error"
	}
	return moduleWords(m)
}

func javaWords(s string) string {
	if strings.HasPrefix(s, "error ") {
		return "error"
	}
	return sortedLines(s)
}

// TestModulesAgainstJDK compares every module of the JDK, and every part of one that is cut off.
func TestModulesAgainstJDK(t *testing.T) {
	eachJDKNow(t, func(t *testing.T, j jdk) {
		var ask requests
		var wants, names []string
		files := j.jmods(t, "module-info.class", func(name string, b []byte) {
			m, err := jar.ParseModule(b)
			require.NoError(t, err)
			ask.ask('m', b)
			wants, names = append(wants, moduleWords(m)), append(names, m.Name)
			noPrefix(t, b, func(b []byte) error { _, err := jar.ParseModule(b); return err })
		})
		ask.ask('i')
		answers := ask.answers(t, j, "Modules")
		for i, want := range wants {
			assert.Equal(t, javaWords(answers[i]), want, names[i])
		}
		image := strings.Split("\n"+answers[len(wants)], "\nbytes ")[1:]
		for _, one := range image {
			line, words, _ := strings.Cut(one, "\n")
			b, err := hex.DecodeString(line)
			require.NoError(t, err)
			m, err := jar.ParseModule(b)
			require.NoError(t, err)
			if !strings.HasSuffix(words, "\n") {
				words += "\n"
			}
			assert.Equal(t, sortedLines(words), moduleWords(m))
		}
		require.NotEmpty(t, image)
		t.Logf("%d modules of JMOD files and %d of the image say the same", files, len(image))
	})
}

// TestModuleCasesAgainstJDK compares the cases of the tables, and random changes of them.
func TestModuleCasesAgainstJDK(t *testing.T) {
	eachJDKNow(t, func(t *testing.T, j jdk) {
		var ask requests
		var wants, about []string
		compare := func(b []byte, format string, args ...any) {
			m, err := jar.ParseModule(b)
			if m != nil && m.Class.Release() > j.number() {
				return
			}
			if err != nil && (strings.Contains(err.Error(), "is no modified UTF-8") || strings.Contains(err.Error(), "which takes two places")) {
				return // the JVM refuses these, ModuleDescriptor.read does not
			}
			if m != nil && j.number() < 25 && slices.ContainsFunc(m.Requires, func(r jar.Requires) bool { return r.Name == "java.base" && r.Transitive }) {
				return // allowed since JEP 511
			}
			if err != nil && j.number() < 25 && strings.HasSuffix(err.Error(), "for java.base") {
				return // a later rule
			}
			ask.ask('m', b)
			wants = append(wants, javaModule(m, err))
			about = append(about, fmt.Sprintf(format, args...)+fmt.Sprintf(" %v %x", err, b))
		}
		var bases [][]byte
		for _, c := range moduleCases() {
			compare(c.b, "%s", c.name)
			bases = append(bases, c.b)
		}
		z := testJar(t)
		for _, name := range []string{"module-info.class", "META-INF/versions/17/module-info.class"} {
			b := contentsIn(t, z, name)
			compare(b, "%s", name)
			bases = append(bases, b, b, b, b, b, b, b, b, b, b)
		}
		r := rand.New(rand.NewPCG(3, 4))
		for range 20_000 {
			compare(changed(r, bases[r.IntN(len(bases))]), "random")
		}
		failed, fine := 0, 0
		for i, got := range ask.answers(t, j, "Modules") {
			if wants[i] != "error" {
				fine++
			}
			if got := javaWords(got); wants[i] != got && failed < 10 {
				failed++
				assert.Equal(t, got, wants[i], about[i])
			}
		}
		t.Logf("%d module-info.class, %d of them accepted", len(wants), fine)
		require.Greater(t, fine, 1000)
	})
}

// changed changes, takes out or puts in a few bytes.
func changed(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + r.IntN(2) {
		if len(b) < 12 {
			return b
		}
		i := 4 + r.IntN(len(b)-4)
		switch r.IntN(6) {
		case 0:
			b[i] = byte(r.IntN(256))
		case 1:
			b[i] = byte(r.IntN(20))
		case 2:
			b[i] += byte(r.IntN(3)) - 1
		case 3:
			b[i] ^= 1 << r.IntN(8)
		case 4:
			if i+1 < len(b) {
				binary.BigEndian.PutUint16(b[i:], binary.BigEndian.Uint16(b[i:])^uint16(1<<r.IntN(16)))
			}
		case 5:
			if r.IntN(2) == 0 {
				b = slices.Delete(b, i, i+1)
			} else {
				b = slices.Insert(b, i, byte(r.IntN(4)))
			}
		}
	}
	return b
}

// javaClass writes a header as Modules.java does.
func javaClass(c jar.ClassInfo) string {
	access := c.Access
	slash := func(name string) string { return strings.ReplaceAll(name, ".", "/") }
	words := []string{fmt.Sprintf("class %d.%d %d %s %s", c.Major, c.Minor, uint16(access), slash(c.Name), slash(c.Super))}
	for _, name := range c.Interfaces {
		words = append(words, slash(name))
	}
	var b strings.Builder
	javaLine(&b, "%s", strings.Join(words, " "))
	return b.String()
}

// TestClassesAgainstJDK compares the headers of classes of the JDK, and what a JVM defines with what is parsed.
func TestClassesAgainstJDK(t *testing.T) {
	eachJDKNow(t, func(t *testing.T, j jdk) {
		var ask requests
		var wants, about []string
		n := 0
		j.jmods(t, ".class", func(name string, b []byte) {
			c, err := jar.ParseClass(b)
			require.NoError(t, err, name)
			require.False(t, c.WrongName(name), name)
			if n++; n%10 == 0 {
				ask.ask('c', b)
				wants, about = append(wants, javaClass(c)), append(about, name)
			}
		})
		z := testJar(t)
		for e := range z.Entries() {
			if strings.HasSuffix(e.Name(), ".class") {
				b := contentsIn(t, z, e.Name())
				c, err := jar.ParseClass(b)
				require.NoError(t, err)
				ask.ask('c', b)
				wants, about = append(wants, javaClass(c)), append(about, e.Name())
			}
		}
		headers := len(wants)
		// A file of a header, without fields, methods and attributes.
		least := func(b []byte) []byte { return append(bytes.Clone(b), make([]byte, 6)...) }
		define := func(b []byte, name string) {
			c, err := jar.ParseClass(b)
			want := "refused"
			if err == nil {
				want = "defined " + c.Name
			}
			ask.ask('d', least(b))
			wants, about = append(wants, want), append(about, fmt.Sprintf("%s: %v %x", name, err, b))
		}
		bases := make([][]byte, 0, 100)
		for _, c := range classCases() {
			if c.name != "empty" && c.name != "Object" && len(c.b) > 10 {
				define(c.b, c.name)
				bases = append(bases, c.b)
			}
		}
		r := rand.New(rand.NewPCG(5, 6))
		for range 10_000 {
			define(changed(r, bases[r.IntN(len(bases))]), "random")
		}
		failed, defined, only := 0, 0, 0
		kinds := make(map[string]int)
		for i, got := range ask.answers(t, j, "Modules") {
			switch {
			case i < headers:
				require.Equal(t, got, wants[i], about[i])
				continue
			case strings.HasPrefix(got, "defined "):
				defined++
				var b strings.Builder
				javaLine(&b, "%s", wants[i])
				if wants[i] == "refused" || utf8.ValidString(wants[i]) { // halves of surrogates cannot be written so
					wants[i] = b.String()
				} else {
					wants[i] = got
				}
			case wants[i] == "refused":
				continue
			default: // for what stands elsewhere, or super classes that are not there
				only++
				kinds[strings.TrimSuffix(strings.Fields(got)[1], ":")]++
				continue
			}
			if got != wants[i] && failed < 10 {
				failed++
				assert.Equal(t, got, wants[i], about[i])
			}
		}
		t.Logf("%d classes parsed; %d headers are the same; of %d files the JVM defines %d, all of them parsed; %d are parsed only: %v", n, headers, len(wants)-headers, defined, only, kinds)
		require.Greater(t, defined, 300)
	})
}

// TestServicesAgainstJDK compares provider-configuration files with ServiceLoader.
func TestServicesAgainstJDK(t *testing.T) {
	eachJDKNow(t, func(t *testing.T, j jdk) {
		var ask requests
		var wants, about []string
		compare := func(file string) {
			var b strings.Builder
			list, err := jar.ParseServices([]byte(file))
			if le, ok := errors.AsType[*jar.LineError](err); ok {
				text := le.Text
				if i := strings.Index(text, ": "); i >= 0 {
					text = text[:i] // names that are quoted
				}
				javaLine(&b, "x:y:%d: %s", le.Line, strings.ToUpper(text[:1])+text[1:])
			}
			for _, p := range list {
				javaLine(&b, "Provider %s not found", p.Class)
			}
			ask.ask('s', []byte(file))
			wants, about = append(wants, b.String()), append(about, fmt.Sprintf("%q", file))
		}
		for _, c := range serviceCases() {
			compare(c.file)
		}
		r := rand.New(rand.NewPCG(7, 8))
		for range 3000 {
			var b strings.Builder
			for range r.IntN(12) {
				b.WriteString([]string{"a.B", "c", "\n", "\r\n", "\r", " ", "\t", "#", ".", "1", "é", "\xff", "\xe2\x82", "\x00", "\u200b", "a", "B"}[r.IntN(17)])
			}
			compare(b.String())
		}
		failed := 0
		for i, got := range ask.answers(t, j, "Modules") {
			if k := strings.Index(got, "Illegal provider-class name: "); k >= 0 {
				got = got[:k+len("Illegal provider-class name")] + "\n"
			}
			if got != wants[i] && failed < 10 {
				failed++
				assert.Equal(t, got, wants[i], about[i])
			}
		}
	})
}

// TestIdentifiersAgainstJDK compares all code points that are assigned in the Unicode versions of both.
func TestIdentifiersAgainstJDK(t *testing.T) {
	eachJDKNow(t, func(t *testing.T, j jdk) {
		var ask requests
		ask.ask('u')
		same := 0
		for line := range strings.Lines(ask.answers(t, j, "Modules")[0]) {
			var first, last rune
			var kind int
			_, err := fmt.Sscan(line, &first, &last, &kind)
			require.NoError(t, err)
			for r := first; r <= last; r++ {
				if kind == 0 || 0xd800 <= r && r < 0xe000 || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf, unicode.Co) {
					continue
				}
				_, err := jar.ParseServices([]byte(string(r)))
				if unicode.In(r, unicode.Cc) && r <= ' ' || r == '#' || r == ' ' {
					continue // not part of names there
				}
				assert.Equal(t, kind == 3, err == nil, "%U first", r)
				_, err = jar.ParseServices([]byte("a" + string(r) + "b"))
				assert.Equal(t, kind >= 2 || r == '.', err == nil, "%U", r)
				same++
			}
		}
		t.Logf("%d code points are the same", same)
		require.Greater(t, same, 100_000)
	})
}

// TestArchivesOfModulesAgainstJDK compares archives on the module path, and jar --describe-module.
func TestArchivesOfModulesAgainstJDK(t *testing.T) {
	dir := t.TempDir()
	eachJDKNow(t, func(t *testing.T, j jdk) {
		var ask requests
		var wants, about []string
		compare := func(file, name string, tool bool) {
			z, err := zipfile.Open(file, nil)
			require.NoError(t, err)
			defer z.Close()
			v, err := jar.NewView(z, j.number())
			require.NoError(t, err)
			m, err := jar.ReadModule(v, file)
			ask.ask('f', []byte(file))
			wants, about = append(wants, javaModule(m, err)), append(about, name+": "+fmt.Sprint(err))
			if tool && err == nil {
				ask.ask('t', []byte(file))
				wants, about = append(wants, toolWords(m, file)), append(about, "jar --describe-module "+name)
			}
		}
		for i, c := range archiveModules() {
			sub := filepath.Join(dir, j.release, strconv.Itoa(i))
			require.NoError(t, os.MkdirAll(sub, 0o777))
			file := filepath.Join(sub, c.file)
			require.NoError(t, c.archive.WriteFile(file))
			compare(file, c.name, c.name == "by file name" || c.name == "services" || c.name == "descriptor")
		}
		for i, c := range nameCases() {
			sub := filepath.Join(dir, j.release, "name", strconv.Itoa(i))
			require.NoError(t, os.MkdirAll(sub, 0o777))
			file := filepath.Join(sub, c.file)
			if err := jarOf(entry("a/B.class", "")).WriteFile(file); err != nil && runtime.GOOS == "windows" {
				continue // no such names there
			}
			if ascii(c.file) { // others depend on the locale of the JVM
				compare(file, strconv.Quote(c.file), false)
			}
		}
		compare(filepath.Join("testdata", "modular.jar"), "modular.jar", false)
		for i, got := range ask.answers(t, j, "Modules") {
			if !strings.HasPrefix(about[i], "jar ") {
				got = javaWords(got)
			}
			assert.Equal(t, got, wants[i], about[i])
		}
	})
}

func ascii(s string) bool { return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 }) }

// toolWords writes a module as jar --describe-module does.
func toolWords(m *jar.Module, file string) string {
	var b strings.Builder
	name := m.Name
	if m.Version != "" {
		name += "@" + m.Version
	}
	if m.Automatic {
		javaLine(&b, "No module descriptor found. Derived automatic module.")
		javaLine(&b, "%s automatic", name)
	} else {
		javaLine(&b, "%s jar:file://%s!/%s", name, file, m.Entry)
	}
	for _, r := range m.Requires {
		javaLine(&b, "requires %s mandated", r.Name)
	}
	for _, p := range m.Provides {
		javaLine(&b, "provides %s with %s", p.Service, strings.Join(slices.Sorted(slices.Values(p.With)), " "))
	}
	if m.Automatic { // of others jar knows the attribute only
		for _, p := range m.Packages {
			javaLine(&b, "contains %s", p)
		}
	}
	return b.String()
}

// TestJarModulesAgainstJDK compares what is said of other projects' archives: module, services and classes.
func TestJarModulesAgainstJDK(t *testing.T) {
	files := otherJars(t)
	eachJDKNow(t, func(t *testing.T, j jdk) {
		var ask requests
		var wants, names []string
		classes, wrong, services, refused := 0, 0, 0, 0
		for _, name := range files {
			z, err := zipfile.Open(name, nil)
			if err != nil {
				continue // what opens is compared elsewhere
			}
			v, err := jar.NewView(z, j.number())
			if err != nil {
				z.Close()
				continue
			}
			for e := range z.Entries() {
				if !strings.HasSuffix(e.Name(), ".class") || e.Size() == 0 {
					continue
				}
				c, err := jar.ReadClassEntry(e)
				if err != nil {
					t.Logf("%s: %v", name, err)
					refused++
				}
				if err == nil && c.WrongName(e.Name()) {
					if wrong++; wrong%40 == 1 {
						t.Logf("%s: %s is %s", name, e.Name(), c.Name)
					}
				}
				classes++
			}
			for _, s := range jar.Services(v) {
				services++
				if s.Err != nil {
					t.Logf("%s: %v", name, s.Err)
				}
			}
			if x, err := jar.ReadIndex(z, name); err == nil {
				t.Logf("%s: index with %d sections, %d findings", name, len(x.Jars), len(x.Findings))
			} else if !errors.Is(err, jar.ErrNoIndex) {
				t.Logf("%s: %v", name, err)
			}
			m, err := jar.ReadModule(v, name)
			z.Close()
			if m != nil && m.Class.Release() > j.number() {
				continue
			}
			ask.ask('f', []byte(name))
			wants, names = append(wants, javaModule(m, err)), append(names, name+": "+fmt.Sprint(err))
		}
		same, bad := 0, 0
		for i, got := range ask.answers(t, j, "Modules") {
			if wants[i] == "error" {
				bad++
			}
			file, _, _ := strings.Cut(names[i], ": ")
			if _, err := os.Stat(file); err != nil {
				continue // was there for a moment
			}
			if strings.Contains(got, "CEN header") {
				t.Logf("%s: not opened by the JDK: %s", names[i], firstLine(got))
				continue
			}
			if assert.Equal(t, javaWords(got), wants[i], names[i]+" "+firstLine(got)) {
				same++
			}
		}
		t.Logf("%d archives: %d of %d modules are the same, of which %d are errors; %d classes, %d refused, %d not where their name says; %d services",
			len(files), same, len(wants), bad, classes, refused, wrong, services)
	})
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
