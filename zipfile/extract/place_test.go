//go:build unix

package extract

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

// ways are those to give a file its name: the best that the system has, and what is left on file
// systems that have less.
var ways = map[string]func(*placer){
	"best":    func(*placer) {},
	"links":   func(p *placer) { p.noRenameNew.Store(true) },
	"renames": func(p *placer) { p.noRenameNew.Store(true); p.noLinks.Store(true) },
}

// TestOneFileOfTwoNames: what was unpacked is not replaced by what the file system takes for the
// same file, as "Foo" and "foo" where case does not count. Here a link that was there makes two
// directories one.
func TestOneFileOfTwoNames(t *testing.T) {
	t.Parallel()
	const appeared = "refused: a file that was not there before is in its place"
	for _, c := range []struct {
		name    string
		before  map[string]string // files that were there
		entries []ziptest.Entry
		want    map[string]string     // of real/ at the end
		failed  map[Existing][]string // errors
	}{
		{
			name:    "in a directory that was there",
			entries: []ziptest.Entry{file("real/f", "first"), file("alias/f", "second")},
			want:    map[string]string{"f": "first"},
			failed:  map[Existing][]string{Refuse: {"alias/f: " + appeared}, Keep: {"alias/f: " + appeared}, Overwrite: {"alias/f: " + appeared}},
		},
		{
			name:    "in a directory that was made",
			entries: []ziptest.Entry{file("real/d/f", "first"), file("alias/d/f", "second")},
			want:    map[string]string{"d/": "dir", "d/f": "first"},
			failed:  map[Existing][]string{Refuse: {"alias/d/f: " + appeared}, Keep: {"alias/d/f: " + appeared}, Overwrite: {"alias/d/f: " + appeared}},
		},
		{
			name:    "in a directory that was made, the other way round",
			entries: []ziptest.Entry{{Name: "alias/d/"}, file("real/d/f", "first"), file("alias/d/f", "second")},
			want:    map[string]string{"d/": "dir", "d/f": "first"},
			failed:  map[Existing][]string{Refuse: {"alias/d/f: " + appeared}, Keep: {"alias/d/f: " + appeared}, Overwrite: {"alias/d/f: " + appeared}},
		},
		{
			name:    "in place of a file that was there",
			before:  map[string]string{"f": "old"},
			entries: []ziptest.Entry{file("real/f", "first"), file("alias/f", "second")},
			want:    map[string]string{"f": "first"},
			failed:  map[Existing][]string{Overwrite: {"alias/f: " + appeared}},
		},
		{
			name:    "a link in place of a file",
			entries: []ziptest.Entry{link("real/f", "x"), file("alias/f", "file")},
			want:    map[string]string{"f": "file"},
			failed:  map[Existing][]string{Refuse: {"real/f: " + appeared}, Keep: {"real/f: " + appeared}, Overwrite: {"real/f: " + appeared}},
		},
		{
			name:    "a link in place of a file that took that of another",
			before:  map[string]string{"f": "old"},
			entries: []ziptest.Entry{link("real/f", "x"), file("alias/f", "file")},
			want:    map[string]string{"f": "file"},
			failed:  map[Existing][]string{Overwrite: {"real/f: " + appeared}},
		},
	} {
		for how, failed := range c.failed {
			for way, limit := range ways {
				tg := newTarget(t)
				require.NoError(t, tg.root.Mkdir("real", 0o755))
				require.NoError(t, tg.root.Symlink("real", "alias"))
				for name, data := range c.before {
					require.NoError(t, tg.root.WriteFile("real/"+name, []byte(data), 0o644))
				}
				u := &unpacking{Options: Options{Existing: how, Workers: 1}, root: tg.root, temps: temps{open: openNew}}
				limit(&u.placer)
				result, err := u.run(t.Context(), open(t, ziptest.Archive{Entries: c.entries}).Entries())
				require.NoError(t, err)
				assert.Equal(t, failed, failures(result), "%s, %d, %s", c.name, how, way)
				assert.Equal(t, c.want, read(t, filepath.Join(tg.dir, "real")), "%s, %d, %s", c.name, how, way)
			}
		}
	}
}

// TestManyOverOne: workers do not race for a place.
func TestManyOverOne(t *testing.T) {
	t.Parallel()
	var entries []ziptest.Entry
	for i := range 20 {
		entries = append(entries, file(fmt.Sprintf("%d/f", i), fmt.Sprint(i)))
	}
	z := open(t, ziptest.Archive{Entries: entries})
	for _, old := range []bool{false, true} {
		for _, limit := range ways {
			tg := newTarget(t)
			require.NoError(t, tg.root.Mkdir("real", 0o755))
			if old {
				require.NoError(t, tg.root.WriteFile("real/f", nil, 0o644))
			}
			for i := range entries {
				require.NoError(t, tg.root.Symlink("real", fmt.Sprint(i)))
			}
			u := &unpacking{Options: Options{Existing: Overwrite, Workers: 8}, root: tg.root, temps: temps{open: openNew}}
			limit(&u.placer)
			result, err := u.run(t.Context(), z.Entries())
			require.NoError(t, err)
			assert.Equal(t, 1, result.Files)
			assert.Len(t, result.Failed, len(entries)-1)
			assert.Len(t, read(t, filepath.Join(tg.dir, "real")), 1)
		}
	}
}
