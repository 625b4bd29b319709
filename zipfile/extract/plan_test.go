package extract

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

func TestPlanOrder(t *testing.T) {
	t.Parallel()
	z := open(t, ziptest.Archive{Entries: []ziptest.Entry{file("b/c/f", ""), file("a", ""), {Name: "b-c/"}, {Name: "b/"}, file("b/d/f", ""), file("b/c/e/f", "")}})
	var paths []string
	for _, d := range (&unpacking{}).plan(z.Entries()).directories() {
		paths = append(paths, d.path)
	}
	assert.Equal(t, []string{"b", "b/c", "b/c/e", "b/d", "b-c"}, paths)
}

// TestPlanIsLinear: a name costs what its length is, not the square. It may have thousands of
// elements, and an archive thousands of such names.
func TestPlanIsLinear(t *testing.T) {
	t.Parallel()
	const elements = 200_000
	cost := func(deep int) time.Duration {
		z := open(t, ziptest.Archive{More: func(yield func(ziptest.Entry) bool) {
			for i := range elements / deep {
				if !yield(file(fmt.Sprintf("%05d/%sf", i, strings.Repeat("a/", deep-1)), "")) {
					return
				}
			}
		}})
		start := time.Now()
		p := (&unpacking{}).plan(z.Entries())
		assert.Len(t, p.directories(), elements)
		return time.Since(start)
	}
	var ratio float64
	for range 3 { // something else may run at the same time
		if ratio = float64(cost(2000)) / float64(cost(20)); ratio < 5 {
			return
		}
	}
	t.Errorf("names of 2000 elements take %.1f times as long as names of 20, for the same number of directories", ratio)
}

func TestLongChain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the trees are those of Unix")
	}
	t.Parallel()
	for _, n := range []int{maxChain, maxChain + 1, 3 * maxChain} {
		for _, backwards := range []bool{false, true} {
			var entries []ziptest.Entry
			want := map[string]string{"d/": "dir", "d/0": "end"}
			var failed []string
			for i := 1; i <= n; i++ { // 1 leads to 0
				name, to := fmt.Sprint("d/", i), fmt.Sprint("../d/./", i-1)
				entries = append(entries, link(name, to))
				if i <= maxChain {
					want[name] = "-> " + to
				} else {
					failed = append(failed, name+": refused: the link leads through more than 40 links")
				}
			}
			if backwards {
				slices.Reverse(entries)
				slices.Reverse(failed)
			}
			tg := newTarget(t)
			result := tg.unpack(t, open(t, ziptest.Archive{Entries: append(entries, file("d/0", "end"))}), nil)
			assert.Equal(t, failed, failures(result))
			assert.Equal(t, want, read(t, tg.dir))
			b, err := os.ReadFile(filepath.Join(tg.dir, "d", fmt.Sprint(maxChain)))
			require.NoError(t, err)
			assert.Equal(t, "end", string(b))
		}
	}
}

// TestEndlessChain: the stack does not grow with a chain.
func TestEndlessChain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the trees are those of Unix")
	}
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	const n = 20_000
	z := open(t, ziptest.Archive{More: func(yield func(ziptest.Entry) bool) {
		for i := range n {
			if !yield(link(fmt.Sprint(i), fmt.Sprint(i+1))) {
				return
			}
		}
	}})
	tg := newTarget(t)
	result := tg.unpack(t, z, nil)
	assert.Equal(t, maxChain, result.Links)
	assert.Len(t, result.Failed, n-maxChain)
}
