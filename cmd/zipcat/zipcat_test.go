package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/extract"
	"zipcat.dev/zipfile/ziptest"
)

func TestExitPrecedence(t *testing.T) {
	t.Parallel()
	order := []int{exitUsage, exitOutput, exitArchive, exitEntry, exitPassword, exitNoMatch}
	for i := range order {
		var o outcome
		for _, code := range order[i:] {
			o.note(code)
		}
		o.note(exitDone)
		assert.Equal(t, order[i], o.code())
	}
	assert.Equal(t, exitDone, new(outcome).code())
}

func TestModeString(t *testing.T) {
	t.Parallel()
	for want, mode := range map[string]fs.FileMode{
		"-rw-r--r--": 0o644,
		"drwxr-x--x": fs.ModeDir | 0o751,
		"lrwxrwxrwx": fs.ModeSymlink | 0o777,
		"prw-------": fs.ModeNamedPipe | 0o600,
		"srwxrwxrwx": fs.ModeSocket | 0o777,
		"brw-rw----": fs.ModeDevice | 0o660,
		"crw-rw-rw-": fs.ModeDevice | fs.ModeCharDevice | 0o666,
		"-rwsr-sr-x": fs.ModeSetuid | fs.ModeSetgid | 0o755,
		"-rwSr-Sr--": fs.ModeSetuid | fs.ModeSetgid | 0o644,
		"drwxrwxrwt": fs.ModeDir | fs.ModeSticky | 0o777,
		"d--------T": fs.ModeDir | fs.ModeSticky,
	} {
		assert.Equal(t, want, modeString(mode))
	}
}

func TestByteSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]byteSize{"0": 0, "1": 1, "1k": 1024, "2K": 2048, "3m": 3 << 20, "4G": 4 << 30, "8589934591g": 8589934591 << 30} {
		var b byteSize
		require.NoError(t, b.Set(text), text)
		assert.Equal(t, want, b, text)
	}
	for _, text := range []string{"", "k", "-1", "+1", "1.5M", "1kk", "1T", "8589934592G", "9223372036854775808", "0x10", " 1", "1_000"} {
		assert.Error(t, new(byteSize).Set(text), text)
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "a b", `quo"te`, `back\slash`, "日本語", "nbsp\u00a0", "e\u0301", "👩\u200d🔧", "\ufffd"} {
		assert.Equal(t, name, printable(name))
	}
	for name, want := range map[string]string{"\x1b[0m": `"\x1b[0m"`, "a\nb": `"a\nb"`, "\u0085": `"\u0085"`, "\x7f": `"\x7f"`, "\u202e": `"\u202e"`, "\u2028": `"\u2028"`} {
		assert.Equal(t, want, printable(name))
	}
}

func TestJSONTime(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "2017-07-14T02:40:00.1234567Z", jsonTime(time.Date(2017, 7, 14, 4, 40, 0, 123456700, time.FixedZone("", 7200))))
	assert.Empty(t, jsonTime(time.Time{}))
	assert.Empty(t, jsonTime(time.Date(30828, 1, 1, 0, 0, 0, 0, time.UTC)))
}

func TestOpenErrorKind(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"none", "truncated", "format", "split", "limit"} {
		assert.Equal(t, kind, openErrorKind(&zipfile.FormatError{Kind: kind, Err: zipfile.ErrFormat}))
	}
	assert.Equal(t, "format", openErrorKind(&zipfile.FormatError{Kind: "overlap", Err: zipfile.ErrFormat}))
	assert.Equal(t, "io", openErrorKind(errors.Join(zipfile.ErrFormat, backend.ErrChanged)))
	assert.Equal(t, "io", openErrorKind(fs.ErrPermission))
}

func TestMessagesAreSafe(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	m := messages{w: &b}
	m.errorf("from below: %v", errors.New("esc \x1b[31m"))
	assert.Equal(t, "zipcat: from below: esc \ufffd[31m\n", b.String())
}

// TestNamesLookTheSame: whoever says what is wrong with an entry, and whichever names the library
// would quote.
func TestNamesLookTheSame(t *testing.T) {
	t.Parallel()
	const nbsp, turned = "a\u00a0b", "a\u202eb"
	for name, want := range map[string]string{"plain": "plain", nbsp: nbsp, turned: `"a\u202eb"`} {
		a := ziptest.Archive{Entries: []ziptest.Entry{{Name: name, Data: []byte("x"), Header: func(h *ziptest.Header) { h.CRC32++ }}}}
		z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
		require.NoError(t, err)
		defer z.Close()
		_, damaged := z.At(0).ReadAll()
		fe, ok := errors.AsType[*zipfile.FormatError](damaged)
		require.True(t, ok)
		require.Equal(t, name, fe.Entry)
		nameless := *fe
		nameless.Entry = ""
		in := "zipcat: a.zip: " + want + ": "
		for _, c := range []struct {
			err  error
			want string
		}{
			{damaged, in + nameless.Error()},
			{&fs.PathError{Op: "read", Path: "a.zip", Err: damaged}, in + nameless.Error()},
			{errors.Join(damaged, backend.ErrChanged), in + nameless.Error() + "\ufffd" + backend.ErrChanged.Error()},
			{extract.ErrRefused, in + "refused"},
			{&extract.WriteError{Path: name, Err: fs.ErrPermission}, "zipcat: " + want + ": cannot be written: permission denied"},
		} {
			var b bytes.Buffer
			m := messages{w: &b}
			m.unpacked("a.zip", &extract.Error{Entry: z.At(0), Err: c.err}, false)
			assert.Equal(t, c.want+"\n", b.String())
		}
		var b bytes.Buffer
		m := messages{w: &b, quiet: true}
		m.stopped(&extract.WriteError{Path: name, Err: fs.ErrPermission}, false)
		assert.Equal(t, "zipcat: "+want+": cannot be written: permission denied\n", b.String())
	}
}

// TestVerdicts: answers come in the order of the directory, however long each takes, and the
// end may come before all are there.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	var a ziptest.Archive
	for i := range 300 {
		e := ziptest.Entry{Name: fmt.Sprint(i), Data: []byte(strings.Repeat("x", i%7*1000)), Method: ziptest.Deflate}
		if i%50 == 0 {
			e.Zeros = 2 << 20
		}
		a.Entries = append(a.Entries, e)
	}
	b := a.Bytes()
	z, err := zipfile.New(backend.Bytes(b), nil)
	require.NoError(t, err)
	defer z.Close()
	for _, hash := range []bool{false, true} {
		for _, end := range []int{1, 150, 300, 1000} {
			n := 0
			verdicts(z, hash, func(v verdict) bool {
				assert.Equal(t, n, v.entry.Index())
				assert.NoError(t, v.err)
				assert.Equal(t, hash, v.sha256 != "")
				n++
				return n < end
			})
			assert.Equal(t, min(end, 300), n)
		}
	}
}

// TestRepeatedRecords: a record that says the same as one before is not read again, and has its
// line all the same.
func TestRepeatedRecords(t *testing.T) {
	t.Parallel()
	const copies = 20
	for name, crc := range map[string]uint32{"whole": 0, "damaged": 1} {
		for _, hash := range []bool{false, true} {
			a := ziptest.Archive{
				Entries: []ziptest.Entry{
					{Name: "a", Data: []byte("x"), Header: func(h *ziptest.Header) { h.CRC32 += crc }},
					{Name: "b", Data: []byte("x")},
					{Name: "a", Data: []byte("y")},
				},
				Directory: func(d []ziptest.CentralHeader) []ziptest.CentralHeader {
					out := []ziptest.CentralHeader{d[2]}
					for range copies {
						out = append(out, d[0], d[1])
					}
					other := d[0]
					other.CRC32--
					return append(out, other)
				},
			}
			z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
			require.NoError(t, err)
			defer z.Close()
			n := 0
			errs := make(map[string]map[error]bool)
			verdicts(z, hash, func(v verdict) bool {
				require.Equal(t, n, v.entry.Index())
				n++
				if v.entry.Index() == z.Len()-1 {
					assert.Equal(t, crc == 0, v.err != nil)
					return true
				}
				bad := name == "damaged" && v.entry.Name() == "a" && n > 1
				assert.Equal(t, bad, v.err != nil)
				assert.Equal(t, hash && !bad, v.sha256 != "")
				if n > 1 {
					if errs[v.entry.Name()] == nil {
						errs[v.entry.Name()] = make(map[error]bool)
					}
					errs[v.entry.Name()][v.err] = true
				}
				return true
			})
			assert.Equal(t, 2*copies+2, n)
			assert.Len(t, errs["a"], 1, "one reading")
		}
	}
}

// TestCatInOrder: contents and messages come in the order of the patterns and, within one, of the
// directory, however entries are batched and wherever their data stand.
func TestCatInOrder(t *testing.T) {
	t.Parallel()
	const n = 3*batchEntries + 5
	forward := ziptest.Archive{Entries: []ziptest.Entry{{Name: "dir/"}}}
	want := map[string]string{"dir/": ""} // contents, or messages
	for i := range n {
		e := ziptest.Entry{Name: fmt.Sprint(i), Data: []byte(strings.Repeat(fmt.Sprint(i, ","), i%613)), Method: []uint16{ziptest.Deflate, ziptest.Store}[i%2]}
		switch {
		case i%500 == 3:
			e.Header = func(h *ziptest.Header) { h.CRC32++ }
			want[e.Name] = "contents have CRC-32"
		case i%500 == 4:
			e.Flags = ziptest.FlagEncrypted
			want[e.Name] = "password"
		case i%700 == 5:
			e.Zeros, e.Method = wholeSize+int64(i%2), ziptest.Deflate // at the limit, or beyond
			fallthrough
		default:
			want[e.Name] = string(e.Data) + strings.Repeat("\x00", int(e.Zeros))
		}
		forward.Entries = append(forward.Entries, e)
	}
	backward := forward
	backward.Directory = func(d []ziptest.CentralHeader) []ziptest.CentralHeader {
		slices.Reverse(d)
		return d
	}
	all := make([]string, 0, n)
	for _, e := range forward.Entries {
		all = append(all, e.Name)
	}
	for name, a := range map[string]ziptest.Archive{"forward": forward, "backward": backward} {
		file := filepath.Join(t.TempDir(), name+".zip")
		require.NoError(t, a.WriteFile(file))
		glob := slices.Clone(all)
		if name == "backward" {
			slices.Reverse(glob)
		}
		for _, c := range []struct {
			patterns []string
			names    []string // that they choose; where no entry has the name, nothing matched
			exit     int
		}{
			{[]string{"**"}, glob, exitEntry},
			{all, all, exitEntry},
			{[]string{"1", "none", "2", "503", "also none", "3", "1"}, []string{"1", "none", "2", "503", "also none", "3", "1"}, exitEntry},
			{[]string{"4", "dir/", "none", "1"}, []string{"4", "dir/", "none", "1"}, exitPassword},
			{[]string{"none", "5", "6", "705", "7", "1405"}, []string{"none", "5", "6", "705", "7", "1405"}, exitNoMatch},
			{[]string{"9", "dir/", "8"}, []string{"9", "dir/", "8"}, exitDone},
			{[]string{"9"}, []string{"9"}, exitDone},
			{[]string{"3"}, []string{"3"}, exitEntry},
		} {
			for _, backend := range []string{"pread", "auto"} {
				var stdout, stderr bytes.Buffer
				code := run(slices.Concat([]string{"cat", "--quiet", "--backend", backend, file}, c.patterns), nil, &stdout, &stderr)
				assert.Equal(t, c.exit, code, "%s: %.40s", name, c.patterns)
				var contents strings.Builder
				said := strings.Split(stderr.String(), "\n")
				for _, name := range c.names {
					text, ok := want[name]
					switch {
					case !ok:
						text = "nothing matches " + name
					case text != "contents have CRC-32" && text != "password":
						contents.WriteString(text)
						continue
					default:
						assert.Contains(t, said[0], ": "+name+": ")
					}
					assert.Contains(t, said[0], text)
					said = said[min(1, len(said)-1):]
				}
				assert.True(t, contents.String() == stdout.String(), "%s, %s: %.40s", name, backend, c.patterns)
				assert.Equal(t, []string{""}, said)
			}
		}
	}
}

// TestManyPatterns: the cost of exact names is that of looking them up.
func TestManyPatterns(t *testing.T) {
	t.Parallel()
	const n = 50_000
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, ziptest.Archive{More: ziptest.Many(n), Entries: []ziptest.Entry{{Name: "dup"}, {Name: "dup"}}}.WriteFile(name))
	z, err := zipfile.Open(name, nil)
	require.NoError(t, err)
	defer z.Close()
	var names []string
	for e := range z.Entries() {
		names = append(names, e.Name())
	}
	out := filepath.Join(filepath.Dir(name), "out")
	for _, command := range [][]string{{"ls"}, {"ls", "-i"}, {"cat"}, {"cat", "-i"}, {"x", "-C", out}} {
		args := slices.Concat(command, []string{name}, names)
		if command[0] == "x" {
			args = []string{"x", "-C", out, name, "dup"}
			for _, name := range names {
				args = append(args, "-x", name)
			}
		}
		start := time.Now()
		var stdout, stderr bytes.Buffer
		assert.Equal(t, exitDone, run(args, nil, &stdout, &stderr), "%s", &stderr)
		assert.Less(t, time.Since(start), 5*time.Second, "%s", command) // n times n takes longer
		switch command[0] {
		case "ls":
			assert.Equal(t, len(names), bytes.Count(stdout.Bytes(), []byte("\n")))
		case "cat":
			assert.Equal(t, strings.Join(names[2:], ""), stdout.String())
		}
	}
}

// TestDirectoryLimit: a hole in a sparse file is no reason to take its size in memory.
func TestDirectoryLimit(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files are not sparse without being asked")
	}
	for size, want := range map[int64]int{maxDirectory: exitArchive, maxDirectory + 1: exitArchive} {
		name := filepath.Join(t.TempDir(), "a.zip")
		f, err := os.Create(name)
		require.NoError(t, err)
		end := append([]byte("PK\x05\x06"), make([]byte, 18)...)
		binary.LittleEndian.PutUint16(end[8:], 1)
		binary.LittleEndian.PutUint16(end[10:], 1)
		binary.LittleEndian.PutUint32(end[12:], uint32(size))
		_, err = f.WriteAt([]byte("PK\x01\x02"), 0)
		require.NoError(t, err)
		_, err = f.WriteAt(end, size)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		var stdout, stderr bytes.Buffer
		assert.Equal(t, want, run([]string{"test", "--json", name}, nil, &stdout, &stderr))
		over := size > maxDirectory
		assert.Equal(t, over, strings.Contains(stdout.String(), `"open_error":"limit"`), "%s", &stdout)
		assert.Equal(t, over, strings.Contains(stderr.String(), "the limit is 1073741824"), "%s", &stderr)
	}
}

// TestStopsAmongDirectories: when nobody reads any more, the directories that follow are not begun.
func TestStopsAmongDirectories(t *testing.T) {
	t.Parallel()
	dirs := []string{t.TempDir(), t.TempDir()}
	for _, dir := range dirs {
		require.NoError(t, ziptest.Archive{More: ziptest.Many(20000)}.WriteFile(filepath.Join(dir, "a.zip")))
	}
	for _, command := range [][]string{{"test", "-r"}, {"find", "**"}, {"grep", "."}} {
		var stderr bytes.Buffer
		full := writerFunc(func([]byte) (int, error) { return 0, errors.New("full") })
		assert.Equal(t, exitOutput, run(append(command, dirs...), nil, full, &stderr), "%v", command)
		assert.Equal(t, "zipcat: standard output: full\n", stderr.String(), "%v", command)
	}
}
