package jar_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// jdk is a JDK that is installed.
type jdk struct {
	java    string // path of the launcher
	release string // "17"
}

var javaVersion = regexp.MustCompile(`(?m)^JAVA_VERSION="(\d+)`)

// jdks finds JDKs, one of each release from 17 on: where JAVA_HOME says, behind java in PATH,
// and where Linux distributions put them.
func jdks() []jdk {
	var list []jdk
	seen := make(map[string]bool)
	homes, _ := filepath.Glob("/usr/lib/jvm/*")
	if java, err := exec.LookPath("java"); err == nil {
		if java, err = filepath.EvalSymlinks(java); err == nil {
			homes = append([]string{filepath.Dir(filepath.Dir(java))}, homes...)
		}
	}
	if home := os.Getenv("JAVA_HOME"); home != "" {
		homes = append([]string{home}, homes...)
	}
	for _, home := range homes {
		b, err := os.ReadFile(filepath.Join(home, "release"))
		if err != nil {
			continue
		}
		v := javaVersion.FindSubmatch(b)
		java, err := exec.LookPath(filepath.Join(home, "bin", "java"))
		if v == nil || err != nil || len(v[1]) < 2 || string(v[1]) < "17" || seen[string(v[1])] {
			continue
		}
		if _, err := exec.LookPath(filepath.Join(home, "bin", "javac")); err != nil {
			continue // a JRE compiles nothing
		}
		seen[string(v[1])] = true
		list = append(list, jdk{java, string(v[1])})
	}
	return list
}

// eachJDK runs a test for each JDK.
func eachJDK(t *testing.T, test func(t *testing.T, j jdk)) {
	t.Helper()
	list := jdks()
	if len(list) == 0 {
		t.Skip("no JDK found: nothing to compare with")
	}
	for _, j := range list {
		t.Run("jdk="+j.release, func(t *testing.T) { test(t, j) })
	}
}

// programs are those of testdata as each JDK compiled them: a directory of classes by its launcher.
var programs struct {
	sync.Mutex
	classes map[string]string
}

func TestMain(m *testing.M) {
	m.Run()
	for _, dir := range programs.classes {
		os.RemoveAll(dir)
	}
}

// internals are packages of java.base that the programs use.
var internals = []string{
	"--add-exports", "java.base/sun.security.util=ALL-UNNAMED",
	"--add-exports", "java.base/sun.security.tools.keytool=ALL-UNNAMED",
	"--add-exports", "java.base/jdk.internal.module=ALL-UNNAMED",
}

// classes compiles the programs of testdata, once.
func (j jdk) classes(t *testing.T) string {
	t.Helper()
	programs.Lock()
	defer programs.Unlock()
	if dir, ok := programs.classes[j.java]; ok {
		return dir
	}
	sources, err := filepath.Glob(filepath.Join("testdata", "*.java"))
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "zipcat-*")
	require.NoError(t, err)
	args := slices.Concat([]string{"-J-Xmx512m", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-d", dir}, internals, sources)
	out, err := exec.Command(filepath.Join(filepath.Dir(j.java), "javac"), args...).CombinedOutput()
	if err != nil {
		os.RemoveAll(dir)
	}
	require.NoError(t, err, "%.2000s", out)
	if programs.classes == nil {
		programs.classes = make(map[string]string)
	}
	programs.classes[j.java] = dir
	return dir
}

// run runs a program of testdata with input.
func (j jdk) run(t *testing.T, program string, input []byte) []byte {
	t.Helper()
	args := slices.Concat([]string{"-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"}, internals)
	if j.number() < 24 {
		args = append(args, "--add-exports", "java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED")
	}
	cmd := exec.Command(j.java, append(args, "-cp", j.classes(t), program)...)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s%.2000s", &stderr, out) // a JVM that cannot start says so on standard output
	return out
}

func (j jdk) number() int {
	n, _ := strconv.Atoi(j.release)
	return n
}

// requests are what a program of testdata is asked; Requests.java reads them.
type requests struct {
	input []byte
	n     int
}

func (r *requests) ask(what byte, args ...[]byte) {
	r.input = append(r.input, what)
	for _, arg := range args {
		r.input = binary.BigEndian.AppendUint32(r.input, uint32(len(arg)))
		r.input = append(r.input, arg...)
	}
	r.n++
}

// answers returns what the JDK says, in the order of the requests, to a program in testdata.
func (r *requests) answers(t *testing.T, j jdk, program string) []string {
	t.Helper()
	out := string(j.run(t, program, r.input))
	var list []string
	var answer strings.Builder
	for line := range strings.Lines(out) {
		if line == "\n" {
			list = append(list, answer.String())
			answer.Reset()
			continue
		}
		answer.WriteString(line)
	}
	require.Len(t, list, r.n)
	return list
}

// javaLine writes a line as the programs do.
func javaLine(b *strings.Builder, format string, args ...any) {
	for _, c := range utf16.Encode([]rune(fmt.Sprintf(format, args...))) {
		if c < ' ' || c > '~' || c == '\\' {
			fmt.Fprintf(b, `\u%04x`, c)
		} else {
			b.WriteByte(byte(c))
		}
	}
	b.WriteByte('\n')
}

// otherJars lists the jars of other projects: those below the directories that ZIPFILE_CORPUS and, as a
// list, ZIPFILE_JARS name; / stands for those of the machine.
func otherJars(t *testing.T) []string {
	t.Helper()
	dirs := append(filepath.SplitList(os.Getenv("ZIPFILE_JARS")), filepath.SplitList(os.Getenv("ZIPFILE_CORPUS"))...)
	if len(dirs) == 0 {
		t.Skip("neither ZIPFILE_JARS nor ZIPFILE_CORPUS is set")
	}
	var list []string
	for _, dir := range dirs {
		require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
			case d.IsDir() && (name == "/proc" || name == "/sys" || name == "/dev" || name == os.TempDir()):
				return filepath.SkipDir
			case d.Type().IsRegular() && strings.EqualFold(filepath.Ext(name), ".jar"):
				list = append(list, name)
			}
			return nil
		}))
	}
	if len(list) == 0 {
		t.Skip("no jars")
	}
	return list
}
