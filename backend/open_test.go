package backend

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/exp/mmap"
)

// tempFile writes a file with a time of the past, so that any later write gives it
// another.
func tempFile(tb testing.TB, content string) string {
	tb.Helper()
	name := filepath.Join(tb.TempDir(), "file")
	writeOld(tb, name, content)
	return name
}

func writeOld(tb testing.TB, name, content string) {
	tb.Helper()
	require.NoError(tb, os.WriteFile(name, []byte(content), 0o600))
	fi, err := os.Stat(name)
	require.NoError(tb, err)
	old := fi.ModTime().AddDate(-1, 0, 0)
	require.NoError(tb, os.Chtimes(name, old, old))
}

// ordinary is a machine that maps, whatever the one that the test runs on does.
func ordinary() machine {
	m := thisMachine()
	m.gateShut, m.env, m.maps, m.largest = false, "", true, 1<<40
	m.network = func(*os.File) string { return "" }
	return m
}

func mustOpen(tb testing.TB, m machine, name string, k Kind) Backend {
	tb.Helper()
	b, err := m.open(origin{name: name, path: name}, k)
	require.NoError(tb, err)
	tb.Cleanup(func() { b.Close() })
	return b
}

func content(tb testing.TB, b Backend) string {
	tb.Helper()
	p := make([]byte, b.Size())
	n, err := b.ReadAt(p, 0)
	if err != io.EOF {
		require.NoError(tb, err)
	}
	require.Equal(tb, len(p), n)
	return string(p)
}

func TestOpenDescribes(t *testing.T) {
	t.Parallel()
	name := tempFile(t, "content")
	empty := tempFile(t, "")
	shut := ordinary()
	shut.gateShut = true
	network := ordinary()
	network.network = func(*os.File) string { return "nfs" }
	preferred := network
	preferred.env = "mapped"
	small := ordinary()
	small.largest = 6
	tests := []struct {
		what   string
		m      machine
		name   string
		asked  Kind
		kind   Kind
		reason string
	}{
		{"auto", ordinary(), name, Auto, Mapped, "regular file, mapping allowed"},
		{"pread", ordinary(), name, Pread, Pread, "asked for"},
		{"mapped", ordinary(), name, Mapped, Mapped, "asked for"},
		{"auto empty", ordinary(), empty, Auto, Pread, "empty file"},
		{"mapped empty", ordinary(), empty, Mapped, Mapped, "asked for"},
		{"auto shut", shut, name, Auto, Pread, "mapping is not allowed yet"},
		{"mapped shut", shut, name, Mapped, Pread, "mapping is not allowed yet"},
		{"auto network", network, name, Auto, Pread, "on a network or FUSE file system (nfs)"},
		{"auto preferred", preferred, name, Auto, Mapped, "ZIPFILE_BACKEND=mapped"},
		{"auto large", small, name, Auto, Pread, "too large for the address space"},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			b := mustOpen(t, test.m, test.name, test.asked)
			assert.Equal(t, Info{Kind: test.kind, Asked: test.asked, Name: test.kind.String(), Reason: test.reason}, Describe(b))
			want, err := os.ReadFile(test.name)
			require.NoError(t, err)
			assert.Equal(t, string(want), content(t, b))
			assert.NoError(t, Changed(b))
		})
	}
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	name := tempFile(t, "content")
	dir := filepath.Dir(name)
	noMaps := ordinary()
	noMaps.maps = false
	badEnv := ordinary()
	badEnv.env = "nio"
	tests := []struct {
		what  string
		m     machine
		name  string
		asked Kind
		err   error
		text  string
	}{
		{"missing", ordinary(), name + "x", Auto, fs.ErrNotExist, name + "x"},
		{"directory", ordinary(), dir, Auto, fs.ErrInvalid, "a directory, neither a regular file nor a block device"},
		{"no mappings", noMaps, name, Mapped, errors.ErrUnsupported, "no mapping on this platform"},
		{"environment", badEnv, name, Auto, nil, `ZIPFILE_BACKEND is "nio"`},
		{"kind", ordinary(), name, 9, fs.ErrInvalid, "unknown backend Kind(9)"},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			b, err := test.m.open(origin{name: test.name, path: test.name}, test.asked)
			require.Error(t, err)
			assert.Nil(t, b)
			if test.err != nil {
				assert.ErrorIs(t, err, test.err)
			}
			assert.ErrorContains(t, err, test.text)
			var pe *fs.PathError
			assert.ErrorAs(t, err, &pe)
			assert.Equal(t, 1, strings.Count(err.Error(), test.name), "the path once in %q", err)
		})
	}
}

func TestGate(t *testing.T) {
	t.Setenv(envName, "")
	name := tempFile(t, "content")
	defer AllowMapping(true)

	AllowMapping(false)
	for _, k := range []Kind{Auto, Pread, Mapped} {
		b, err := Open(name, k)
		require.NoError(t, err)
		defer b.Close()
		info := Describe(b)
		assert.Equal(t, Pread, info.Kind)
		assert.Equal(t, k, info.Asked)
		if k != Pread {
			assert.Equal(t, "mapping is not allowed yet", info.Reason)
		}
		again, err := Reopen(b, Mapped)
		require.NoError(t, err)
		defer again.Close()
		assert.Equal(t, "pread", Describe(again).Name, "Reopen with the gate shut")
	}

	early, err := Open(name, Auto)
	require.NoError(t, err)
	defer early.Close()
	AllowMapping(true)
	later, err := Reopen(early, Mapped)
	if !platformMaps {
		require.ErrorIs(t, err, errors.ErrUnsupported)
		return
	}
	require.NoError(t, err)
	defer later.Close()
	assert.Equal(t, "mapped", Describe(later).Name)

	AllowMapping(false)
	assert.Equal(t, "content", content(t, later), "what is mapped stays mapped")
}

func TestEnvironment(t *testing.T) {
	name := tempFile(t, "content")
	t.Setenv(envName, "pread")
	b, err := Open(name, Auto)
	require.NoError(t, err)
	defer b.Close()
	assert.Equal(t, Info{Kind: Pread, Asked: Auto, Name: "pread", Reason: "ZIPFILE_BACKEND=pread"}, Describe(b))

	t.Setenv(envName, "direct")
	_, err = Open(name, Auto)
	assert.ErrorContains(t, err, `ZIPFILE_BACKEND is "direct"`)
	_, err = Reopen(b, Auto)
	assert.ErrorContains(t, err, `ZIPFILE_BACKEND is "direct"`)
	again, err := Reopen(b, Pread)
	require.NoError(t, err, "an explicit kind does not ask the environment")
	assert.NoError(t, again.Close())
}

func TestMapRefused(t *testing.T) {
	t.Parallel()
	name := tempFile(t, "content")
	m := ordinary()
	refusal := errors.New("cannot allocate memory")
	m.mmap = func(string) (*mmap.ReaderAt, error) { return nil, refusal }

	b := mustOpen(t, m, name, Auto)
	assert.Equal(t, Info{Kind: Pread, Asked: Auto, Name: "pread", Reason: "mapping failed: cannot allocate memory"}, Describe(b))
	assert.Equal(t, "content", content(t, b))

	_, err := m.open(origin{name: name, path: name}, Mapped)
	assert.ErrorIs(t, err, refusal)
	assert.EqualError(t, err, "mmap "+name+": cannot allocate memory")
}

// TestMapRace changes the path between the opening of the file and that of the
// mapping, which opens the path for itself.
func TestMapRace(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not rename over an open file")
	}
	changes := map[string]func(t *testing.T, name string){
		"replaced": func(t *testing.T, name string) {
			writeOld(t, name+".new", "another")
			require.NoError(t, os.Rename(name+".new", name))
		},
		"longer": func(t *testing.T, name string) {
			f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = f.WriteString("!")
			require.NoError(t, err)
			require.NoError(t, f.Close())
		},
	}
	for what, change := range changes {
		t.Run(what, func(t *testing.T) {
			racing := func(name string, times int) machine {
				m := ordinary()
				m.mmap = func(name string) (*mmap.ReaderAt, error) {
					if times > 0 {
						times--
						change(t, name)
					}
					return mmap.Open(name)
				}
				return m
			}
			t.Run("once", func(t *testing.T) {
				name := tempFile(t, "content")
				b := mustOpen(t, racing(name, 1), name, Mapped)
				assert.Equal(t, Mapped, Describe(b).Kind)
				want, err := os.ReadFile(name)
				require.NoError(t, err)
				assert.Equal(t, string(want), content(t, b))
				assert.NoError(t, Changed(b))
			})
			t.Run("always", func(t *testing.T) {
				name := tempFile(t, "content")
				_, err := racing(name, attempts).open(origin{name: name, path: name}, Mapped)
				assert.ErrorIs(t, err, ErrChanged)
				assert.ErrorContains(t, err, "mmap "+name)
			})
			t.Run("always under auto", func(t *testing.T) {
				name := tempFile(t, "content")
				b := mustOpen(t, racing(name, attempts), name, Auto)
				info := Describe(b)
				assert.Equal(t, Pread, info.Kind)
				assert.Equal(t, "mapping failed: "+ErrChanged.Error(), info.Reason)
			})
		})
	}
}
