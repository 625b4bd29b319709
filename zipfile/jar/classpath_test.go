package jar

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// jarFile writes a jar of names whose contents are the jar's name and theirs. What has a line break is the
// manifest.
func jarFile(t testing.TB, dir, name string, names ...string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), jarBytes(name, names...), 0o666))
	return filepath.Join(dir, name)
}

func jarBytes(jar string, names ...string) []byte {
	a := ziptest.Archive{}
	for _, n := range names {
		e := ziptest.Entry{Name: n, Data: []byte(jar + ":" + n), Method: ziptest.Deflate}
		if strings.Contains(n, "\n") {
			e = ziptest.Entry{Name: "META-INF/MANIFEST.MF", Data: []byte("Manifest-Version: 1.0\n" + n)}
		}
		a.Entries = append(a.Entries, e)
	}
	return a.Bytes()
}

func openPath(t *testing.T, o *ClassPathOptions, paths ...string) *ClassPath {
	t.Helper()
	cp, err := OpenClassPath(t.Context(), paths, o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, cp.Close()) })
	return cp
}

// contents is what a class path finds for a name, "" for nothing.
func contents(t *testing.T, cp *ClassPath, name string) string {
	t.Helper()
	r, ok := cp.Resource(name)
	if !ok {
		return ""
	}
	b, err := r.ReadAll()
	require.NoError(t, err)
	return string(b)
}

func TestClassPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := jarFile(t, dir, "a.jar", "com/example/A.class", "com/example/Both.class", "twice", "x/twice", "twice")
	b := jarFile(t, dir, "b.jar", "com/example/B.class", "com/example/Both.class", "twice", "twice", "other/C.class")
	classes := filepath.Join(dir, "classes")
	require.NoError(t, os.MkdirAll(filepath.Join(classes, "com/example"), 0o777))
	for _, f := range []string{"com/example/Dir.class", "com/example/Both.class"} {
		require.NoError(t, os.WriteFile(filepath.Join(classes, f), []byte("dir:"+f), 0o666))
	}
	for order, want := range map[string]string{
		a + "|" + b + "|" + classes: "a.jar", b + "|" + a: "b.jar", classes + "|" + a + "|" + b: "dir", b + "|" + classes: "b.jar", b + "|" + classes + "|" + a: "b.jar",
	} {
		paths := strings.Split(order, "|")
		cp := openPath(t, nil, paths...)
		assert.Equal(t, want+":com/example/Both.class", contents(t, cp, "com/example/Both.class"), order)
		assert.Equal(t, paths, cp.Elements())
		assert.Empty(t, cp.Problems())
		all := cp.FindAll("com.example.Both")
		require.Len(t, all, len(paths))
		for i, r := range all {
			assert.Equal(t, paths[i], r.Element)
			assert.Equal(t, paths[i] == classes, r.IsFile())
		}
		require.Len(t, cp.Resources("twice"), strings.Count(order, ".jar"), "each archive once")
	}
	cp := openPath(t, nil, a, classes, b)
	r, ok := cp.Lookup("com.example.B")
	require.True(t, ok)
	assert.Equal(t, b+"!/com/example/B.class", r.Path())
	r, ok = cp.Lookup("com.example.Dir")
	require.True(t, ok)
	assert.Equal(t, filepath.Join(classes, "com", "example", "Dir.class"), r.Path())
	for _, name := range []string{"", "com/example/", "com/example", "nope", "../a.jar", "/etc/passwd", "com/example/A.clas"} {
		_, ok := cp.Resource(name)
		assert.False(t, ok, name)
		assert.Empty(t, cp.Resources(name), name)
	}
	last, ok := cp.Resource("twice")
	require.True(t, ok)
	assert.Equal(t, 4, last.Entry.Index(), "of one archive the last")
	assert.Equal(t, []Duplicate{{"com/example/Both.class", []string{a, b}}}, cp.Duplicates())
	assert.Equal(t, []Duplicate{{"com.example", []string{a, b}}}, cp.SplitPackages())
}

func TestClassPathManifests(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "lib", "with space"), 0o777))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "classes"), 0o777))
	jarFile(t, dir, "lib/b.jar", "B", "Class-Path: c.jar ../a.jar missing.jar http://example.com/x.jar ..%2Fbad%zz\n")
	jarFile(t, dir, "lib/c.jar", "C", "Class-Path: b.jar with%20space/d.jar ../classes/\n", "B")
	jarFile(t, dir, "lib/with space/d.jar", "D")
	a := jarFile(t, dir, "a.jar", "A", "Class-Path: lib/b.jar file:lib/c.jar\n")
	z := jarFile(t, dir, "z.jar", "Z", "D")
	cp := openPath(t, nil, a, z)
	var got []string
	for _, e := range cp.Elements() {
		rel, err := filepath.Rel(dir, e)
		require.NoError(t, err)
		got = append(got, filepath.ToSlash(rel))
	}
	assert.Equal(t, []string{"a.jar", "lib/b.jar", "lib/c.jar", "lib/with space/d.jar", "classes", "z.jar"}, got)
	assert.Equal(t, "lib/b.jar:B", contents(t, cp, "B"))
	assert.Equal(t, "lib/with space/d.jar:D", contents(t, cp, "D"), "what a manifest names comes before the next")
	var problems []string
	for _, p := range cp.Problems() {
		problems = append(problems, filepath.Base(p.Path)+" from "+filepath.Base(p.From))
	}
	assert.ElementsMatch(t, []string{"missing.jar from b.jar", "x.jar from b.jar", "..%2Fbad%zz from b.jar"}, problems)
	assert.Len(t, openPath(t, &ClassPathOptions{NoManifests: true}, a, z).Elements(), 2)
}

func TestClassPathWildcardsAndNested(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	jarFile(t, dir, "b.jar", "X", "B")
	jarFile(t, dir, "a.JAR", "X", "A")
	jarFile(t, dir, "no.zip", "N")
	cp := openPath(t, nil, filepath.Join(dir, "*"))
	assert.Equal(t, "a.JAR:X", contents(t, cp, "X"))
	assert.Equal(t, "", contents(t, cp, "N"))

	inner := jarBytes("inner.jar", "I", "X")
	app := filepath.Join(dir, "app.war")
	require.NoError(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "BOOT-INF/classes/App.class", Data: []byte("app")}, {Name: "BOOT-INF/lib/stored.jar", Data: inner},
		{Name: "BOOT-INF/lib/deflated.jar", Data: jarBytes("deflated.jar", "J", "X"), Method: ziptest.Deflate}, {Name: "BOOT-INF/lib/deep/no.jar", Data: inner},
		{Name: "outer.jar", Data: ziptest.Archive{Entries: []ziptest.Entry{{Name: "in/x.jar", Data: inner}}}.Bytes()},
	}}.WriteFile(app))
	cp = openPath(t, nil, app+"!/BOOT-INF/classes/", app+"!/BOOT-INF/lib/*", app+"!/outer.jar!/in/x.jar", app+"!/nope.jar", app)
	assert.Equal(t, "app", contents(t, cp, "App.class"))
	assert.Equal(t, "inner.jar:X", contents(t, cp, "X"))
	assert.Equal(t, "deflated.jar:J", contents(t, cp, "J"))
	assert.Len(t, cp.Resources("I"), 2)
	require.Len(t, cp.Problems(), 1)
	assert.ErrorContains(t, cp.Problems()[0], "no such entry: nope.jar")
	r, _ := cp.Resource("App.class")
	assert.Equal(t, app+"!/BOOT-INF/classes/App.class", r.Path())
	r, _ = cp.Resource("BOOT-INF/classes/App.class")
	assert.Equal(t, app, r.Element)

	small := openPath(t, &ClassPathOptions{MaxNested: 10}, app+"!/BOOT-INF/lib/*")
	assert.Len(t, small.Problems(), 1)
	_, err := OpenClassPath(t.Context(), []string{app, filepath.Join(dir, "b.jar")}, &ClassPathOptions{MaxArchives: 1})
	assert.ErrorContains(t, err, "too many archives")
	_, err = OpenClassPath(t.Context(), []string{filepath.Join(dir, "none.jar")}, &ClassPathOptions{OnlyExisting: true})
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// TestClassPathNestedOnce: an archive in an archive is opened once, for all that is in it.
func TestClassPathNestedOnce(t *testing.T) {
	t.Parallel()
	mid := ziptest.Archive{}
	for _, n := range []string{"x.jar", "y.jar", "z.jar"} {
		mid.Entries = append(mid.Entries, ziptest.Entry{Name: "lib/" + n, Data: jarBytes(n, "A")})
	}
	bad := []byte(strings.Repeat("no archive ", 100))
	app := filepath.Join(t.TempDir(), "app.jar")
	require.NoError(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "a.jar", Data: mid.Bytes(), Method: ziptest.Deflate}, {Name: "bad.jar", Data: bad, Method: ziptest.Deflate},
	}}.WriteFile(app))
	for _, tt := range []struct {
		paths     []string
		unpacked  int
		resources int
		open      int // archives
		problems  int
	}{
		{[]string{"!/a.jar!/lib/*"}, len(mid.Bytes()), 3, 5, 0},
		{[]string{"!/a.jar!/lib/z.jar", "!/a.jar!/lib/", "!/a.jar", "!/a.jar!/lib/*"}, len(mid.Bytes()), 3, 5, 0},
		{[]string{"!/bad.jar!/x.jar", "!/bad.jar!/y.jar", "!/bad.jar"}, len(bad), 0, 1, 3},
	} {
		for i := range tt.paths {
			tt.paths[i] = app + tt.paths[i]
		}
		cp := openPath(t, &ClassPathOptions{MaxNested: int64(tt.unpacked)}, tt.paths...)
		assert.Len(t, cp.Resources("A"), tt.resources, "%q", tt.paths)
		assert.Len(t, cp.closers, tt.open, "%q", tt.paths)
		assert.Len(t, cp.Problems(), tt.problems, "%q", tt.paths)
		for _, p := range cp.Problems() {
			assert.ErrorIs(t, p, zipfile.ErrNoArchive)
		}
	}
}

// TestClassPathCause: the error of a context is its cause, also while an archive is unpacked.
func TestClassPathCause(t *testing.T) {
	t.Parallel()
	app := filepath.Join(t.TempDir(), "app.jar")
	require.NoError(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "a.jar", Zeros: 64 << 20, Method: ziptest.Deflate}}}.WriteFile(app))
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(5*time.Millisecond, func() { cancel(why) })
	err := zipfile.ErrNoArchive
	for errors.Is(err, zipfile.ErrNoArchive) {
		_, err = OpenClassPath(ctx, []string{app + "!/a.jar"}, &ClassPathOptions{OnlyExisting: true})
	}
	assert.EqualError(t, err, "enough")
	for _, paths := range [][]string{nil, {app}, {app + "!/a.jar"}} {
		_, err = OpenClassPath(ctx, paths, nil)
		assert.EqualError(t, err, "enough", "%q", paths)
		assert.ErrorIs(t, err, why)
	}
}

// TestClassPathMissing: what is missing counts as archives do, and what is named again costs nothing.
func TestClassPathMissing(t *testing.T) { // not at the same time as others: it sets maxPending
	dir := t.TempDir()
	named := func(n, of int) string {
		var list strings.Builder
		list.WriteString("Class-Path: ")
		for i := range n {
			fmt.Fprintf(&list, "\n  %x.jar", i%of)
		}
		return list.String() + "\n"
	}
	few := jarFile(t, dir, "few.jar", "A", named(9, 9))
	cp := openPath(t, &ClassPathOptions{MaxArchives: 10}, few)
	assert.Len(t, cp.Problems(), 9)
	_, err := OpenClassPath(t.Context(), []string{few}, &ClassPathOptions{MaxArchives: 9})
	assert.ErrorIs(t, err, errTooManyJars)
	many := jarFile(t, dir, "many.jar", "A", named(200_000, 200_000))
	_, err = OpenClassPath(t.Context(), []string{many}, nil)
	assert.ErrorIs(t, err, errTooManyJars)
	again := jarFile(t, dir, "again.jar", "A", named(200_000, 100))
	assert.Len(t, openPath(t, nil, again).Problems(), 100)
	_, err = OpenClassPath(t.Context(), []string{few}, &ClassPathOptions{OnlyExisting: true})
	assert.ErrorIs(t, err, os.ErrNotExist)

	// Attributes that wait for each other.
	old := maxPending
	maxPending = 20_000
	defer func() { maxPending = old }()
	for i := range 20 {
		jarFile(t, dir, fmt.Sprintf("next%d.jar", i), fmt.Sprintf("Class-Path: next%d.jar%s\n", i+1, strings.Repeat("\n  next0.jar", 100)))
	}
	_, err = OpenClassPath(t.Context(), []string{filepath.Join(dir, "next0.jar")}, nil)
	assert.ErrorIs(t, err, errTooManyJars)
}

func TestClassPathReleases(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := []string{"A", "META-INF/versions/9/A", "META-INF/versions/17/A", "META-INF/versions/21/A", "META-INF/versions/11/New", "META-INF/versions/9/META-INF/x"}
	multi := jarFile(t, dir, "multi.jar", append(names, "Multi-Release: true\n")...)
	plain := jarFile(t, dir, "plain.jar", names...)
	for release, want := range map[int]string{8: "A", 9: "META-INF/versions/9/A", 11: "META-INF/versions/9/A", 17: "META-INF/versions/17/A", 0: "META-INF/versions/21/A"} {
		cp := openPath(t, &ClassPathOptions{Release: release}, multi)
		assert.Equal(t, "multi.jar:"+want, contents(t, cp, "A"), "release %d", release)
		assert.Equal(t, release == 11 || release == 17 || release == 0, contents(t, cp, "New") != "", "release %d", release)
		assert.Equal(t, "multi.jar:META-INF/versions/9/A", contents(t, cp, "META-INF/versions/9/A"))
		assert.Empty(t, contents(t, cp, "META-INF/x"))
		// As a View on the same archive has it.
		v, err := NewView(cp.jars[0].z, release)
		require.NoError(t, err)
		e, _ := v.Lookup("A")
		r, _ := cp.Resource("A")
		assert.Equal(t, e, r.Entry)
		assert.Equal(t, "plain.jar:A", contents(t, openPath(t, &ClassPathOptions{Release: release}, plain, multi), "A"))
		assert.Len(t, openPath(t, &ClassPathOptions{Release: release}, plain, multi, plain).Resources("A"), 2)
	}
}

// bigPath writes jars of so many classes in all and returns the paths and the names.
func bigPath(t testing.TB, jars, classes int) (paths, names []string) {
	dir := t.TempDir()
	for j := range jars {
		var list []string
		for c := range classes / jars {
			name := fmt.Sprintf("com/example/module%d/package%d/SomeClassName%d.class", j, c%17, c)
			list, names = append(list, name), append(names, name)
		}
		paths = append(paths, jarFile(t, dir, fmt.Sprintf("j%d.jar", j), append(list, "META-INF/LICENSE", "X: y\n")...))
	}
	return paths, names
}

func TestClassPathConcurrent(t *testing.T) {
	t.Parallel()
	paths, names := bigPath(t, 30, 3000)
	cp := openPath(t, nil, paths...)
	assert.Len(t, cp.Resources("META-INF/LICENSE"), 30)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i, name := range names {
				r, ok := cp.Resource(name)
				assert.True(t, ok && r.Element == paths[i/100] && r.Entry.Name() == name)
				_, ok = cp.Resource(fmt.Sprint(name, g))
				assert.False(t, ok)
			}
		})
	}
	wg.Wait()
	require.Len(t, cp.index.slots, (30*102)*5/3+1, "16 bytes and less an entry")
}

// BenchmarkClassPath compares lookups in a class path of 300 archives with 100,000 classes with those in a map
// of all names.
func BenchmarkClassPath(b *testing.B) {
	for _, jars := range []int{3, 300} {
		paths, names := bigPath(b, jars, 100_000)
		cp, err := NewClassPath(paths...)
		require.NoError(b, err)
		defer cp.Close()
		all := make(map[string]uint32)
		for i, name := range names {
			all[name] = uint32(i)
		}
		misses := make([]string, len(names))
		for i, name := range names {
			misses[i] = name[:len(name)-6] + "$.class"
		}
		for i := range names {
			names[i] = strings.Clone(names[i]) // who asks has strings of their own
		}
		r := rand.New(rand.NewPCG(1, 1))
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for what, list := range map[string][]string{"hit": names, "miss": misses} {
			other := slices.Clone(list) // the same in another order
			r.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
			b.Run(fmt.Sprintf("jars=%d/lookup=%s", jars, what), func(b *testing.B) {
				// In turns of 1,000, so that both see the same machine.
				b.ReportAllocs()
				var inMap, inPath time.Duration
				found := 0
				for n := 0; n < b.N; n += 1000 {
					start := time.Now()
					for i := n; i < n+1000; i++ {
						if _, ok := all[list[i%len(list)]]; ok {
							found++
						}
					}
					middle := time.Now()
					for i := n; i < n+1000; i++ {
						if _, ok := cp.Resource(other[i%len(other)]); ok {
							found--
						}
					}
					inMap += middle.Sub(start)
					inPath += time.Since(middle)
				}
				require.Zero(b, found)
				rounds := float64((b.N + 999) / 1000 * 1000)
				b.ReportMetric(float64(inMap)/rounds, "ns/map")
				b.ReportMetric(float64(inPath)/rounds, "ns/classpath")
				b.ReportMetric(float64(inPath)/float64(inMap), "classpath/map")
			})
		}
	}
}

// TestClassPathMemory: an open class path takes fewer than 24 bytes for an entry, besides the directories of
// its archives.
func TestClassPathMemory(t *testing.T) {
	paths, names := bigPath(t, 300, 100_000)
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	cp, err := NewClassPath(paths...)
	require.NoError(t, err)
	defer cp.Close()
	took := heap() - before
	var directories int64
	for _, j := range cp.jars {
		// In the size classes of the allocator, which takes 4 KiB more for one of 33 KB.
		directories += int64(cap(slices.Grow([]byte(nil), int(j.z.Structure().DirectorySize))))
	}
	each := float64(took-directories) / float64(len(names))
	t.Logf("%d entries: %d bytes, %d of them directories; %.1f bytes for an entry", len(names), took, directories, each)
	require.Less(t, each, 24.0)
	_, ok := cp.Resource(names[0])
	require.True(t, ok)
}
