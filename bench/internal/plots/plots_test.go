package plots

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawn returns both forms of a drawing, which must be what they say.
func drawn(t *testing.T, d *Drawing) (image.Image, string) {
	t.Helper()
	var p, s bytes.Buffer
	require.NoError(t, d.PNG(&p))
	require.NoError(t, d.SVG(&s))
	m, err := png.Decode(bytes.NewReader(p.Bytes()))
	require.NoError(t, err)
	for x := xml.NewDecoder(bytes.NewReader(s.Bytes())); ; {
		_, err := x.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
	}
	return m, s.String()
}

func bars(n int) *Bars {
	b := &Bars{Title: "load of every class", Axis: "time in ms (mean)", Unit: "ms", First: "from the cache", Other: "from the disk"}
	for i := range n {
		v := float64(10 + i)
		b.Bars = append(b.Bars, Bar{Label: fmt.Sprintf("reader %d", i), Ours: i%2 == 0, Group: i / 2, Second: i%4 > 1, Mean: v, Lo: v - 2, Hi: v + 2})
	}
	return b
}

func lines(n int) *Lines {
	l := &Lines{Title: "heap of an open archive", X: "entries", Y: "bytes"}
	for i := range n {
		line := Line{Name: fmt.Sprintf("reader %d", i), Ours: i == 0}
		for _, x := range []float64{1000, 10_000, 100_000} {
			line.Points = append(line.Points, Point{x, float64(50 + 10*i), float64(45 + 10*i), float64(55 + 10*i)})
		}
		l.Lines = append(l.Lines, line)
	}
	return l
}

func TestSameBytes(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func() *Drawing{"bars": bars(6).Draw, "lines": lines(9).Draw} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list [4]bytes.Buffer
			require.NoError(t, draw().PNG(&list[0]))
			require.NoError(t, draw().PNG(&list[1]))
			require.NoError(t, draw().SVG(&list[2]))
			require.NoError(t, draw().SVG(&list[3]))
			assert.True(t, bytes.Equal(list[0].Bytes(), list[1].Bytes()))
			assert.True(t, bytes.Equal(list[2].Bytes(), list[3].Bytes()))
		})
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	_, svg := drawn(t, bars(4).Draw())
	for _, want := range []string{"load of every class", "time in ms (mean)", "reader 0", "reader 3", "10.0 ms", "ours (name in bold), from the cache",
		"others, from the disk", "99.9 % confidence", "Liberation Sans,Arial"} {
		assert.Contains(t, svg, want)
	}
	_, svg = drawn(t, lines(3).Draw())
	for _, want := range []string{"heap of an open archive", "entries", "bytes", "reader 2", "10,000", "Bold: ours."} {
		assert.Contains(t, svg, want)
	}
}

// What stands at the edge is cut off: all is drawn within a margin of paper.
func TestWithinPage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a name that says in many words what it does ", 5) + strings.Repeat("x", 400)
	wide := bars(4)
	wide.Title = long
	for i := range wide.Bars {
		wide.Bars[i].Label = long
	}
	many := lines(30)
	many.Title = long
	many.Lines[3].Name = long
	for name, d := range map[string]*Drawing{
		"bars": bars(30).Draw(), "long names": wide.Draw(), "lines": lines(2).Draw(), "many lines": many.Draw(), "nothing": (&Bars{}).Draw(), "no lines": (&Lines{}).Draw(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := drawn(t, d)
			r := m.Bounds()
			inner := r.Inset(8)
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for x := r.Min.X; x < r.Max.X; x++ {
					if !(image.Point{x, y}).In(inner) {
						require.Equal(t, uint8(255), color.GrayModel.Convert(m.At(x, y)).(color.Gray).Y, "at %d, %d of %v", x, y, r)
					}
				}
			}
		})
	}
}

// Numbers of any kind draw something, without a panic or an endless loop.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{0, -5, math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 5e-324, 1e14, math.MaxFloat64} {
		for _, w := range []float64{1, math.Inf(1), math.NaN(), 1e308} {
			b := &Bars{Bars: []Bar{{Label: "a", Mean: v, Lo: v - w, Hi: v + w}, {Label: "b", Mean: 3, Lo: math.Inf(-1), Hi: math.Inf(1)}}}
			drawn(t, b.Draw())
			l := &Lines{Lines: []Line{{Name: "a", Points: []Point{{v, v, v - w, v + w}, {1, 2, 1, 3}}}, {Name: "none"}}}
			drawn(t, l.Draw())
		}
	}
}

// Ours and others must be told apart without colour.
func TestGrey(t *testing.T) {
	t.Parallel()
	darkest := func(isOurs bool) (mean int) {
		b := &Bars{Bars: []Bar{{Label: "", Ours: isOurs, Mean: 10, Lo: 10, Hi: 10}}}
		m, _ := drawn(t, b.Draw())
		sum, n := 0, 0
		r := m.Bounds()
		for y := r.Min.Y; y < r.Max.Y/2; y++ {
			for x := r.Max.X / 4; x < r.Max.X/2; x++ {
				if g := int(color.GrayModel.Convert(m.At(x, y)).(color.Gray).Y); g < 250 {
					sum, n = sum+g, n+1
				}
			}
		}
		return sum / max(n, 1)
	}
	assert.Less(t, darkest(true)+60, darkest(false))
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{
		0: "0", 0.25: "0.25", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", 999: "999", 2e12: "2e+12", 0.1 + 0.2: "0.3",
	} {
		assert.Equal(t, want, number(v))
	}
}
