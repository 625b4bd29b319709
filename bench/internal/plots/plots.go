// Package plots draws what was measured: bars for contenders, lines where there is an axis. The
// same input gives the same bytes. What differs does so in shape or shade and in words, never in
// colour alone.
//
//	b := plots.Bars{Title: "load", Unit: "ms", Bars: []plots.Bar{{Label: "pread", Mean: 3, Lo: 2, Hi: 4}}}
//	err := b.Draw().PNG(w)
package plots

import (
	"bytes"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Sizes of the page, in points.
const (
	width    = 640
	margin   = 14
	titleEm  = 12.0
	labelEm  = 9.5
	smallEm  = 8.5
	lead     = 1.3 // of a line of text, over its size
	dotsInch = 144
)

// Colours that people with any kind of colour vision tell apart (Okabe and Ito), darkest first as
// far as contrast with paper goes.
var (
	black  = color.Gray{0}
	dark   = color.Gray{70}
	grid   = color.Gray{222}
	paper  = color.White
	ours   = color.RGBA{0, 114, 178, 255}
	light  = color.RGBA{173, 212, 236, 255}
	colors = []color.Color{
		color.RGBA{0, 114, 178, 255}, color.RGBA{213, 94, 0, 255}, color.RGBA{0, 130, 95, 255},
		color.RGBA{150, 75, 120, 255}, color.Gray{0}, color.RGBA{180, 115, 0, 255}, color.RGBA{50, 140, 190, 255},
	}
)

// Drawing is a finished plot.
type Drawing struct {
	canvas        recorder.Canvas
	width, height vg.Length
}

// PNG writes the drawing as a picture of 144 dots to the inch.
func (d *Drawing) PNG(w io.Writer) error {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(d.width, d.height), vgimg.UseDPI(dotsInch), vgimg.UseBackgroundColor(paper))}
	if err := d.canvas.ReplayOn(c); err != nil {
		return err
	}
	_, err := c.WriteTo(w)
	return err
}

// SVG writes the drawing as a vector graphic.
func (d *Drawing) SVG(w io.Writer) error {
	c := vgsvg.New(d.width, d.height)
	if err := d.canvas.ReplayOn(c); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(fallbackFonts(b.Bytes()))
	return err
}

// fallbackFonts names, behind the font that few have installed, those whose letters are as wide.
func fallbackFonts(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
}

// page is a drawing in the making.
type page struct {
	draw.Canvas
	drawing *Drawing
	y       vg.Length // where the next thing from the top goes
}

func newPage(height vg.Length) *page {
	d := &Drawing{width: width, height: height}
	p := &page{drawing: d, y: height - margin}
	p.Canvas = draw.NewCanvas(&d.canvas, width, height)
	p.rectangle(0, 0, width, height, paper)
	return p
}

// The texts are laid out by one handler of our own, for plot's can be changed by anyone.
var handler = text.Plain{Fonts: font.NewCache(liberation.Collection())}

func style(size vg.Length, bold bool) draw.TextStyle {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return draw.TextStyle{Color: black, Font: f, Handler: handler}
}

func (p *page) text(s draw.TextStyle, x, y vg.Length, t string) {
	p.FillText(s, vg.Point{X: x, Y: y}, t)
}

func (p *page) rectangle(x0, y0, x1, y1 vg.Length, fill color.Color) {
	p.FillPolygon(fill, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

func (p *page) line(c color.Color, w vg.Length, x0, y0, x1, y1 vg.Length) {
	p.StrokeLine2(draw.LineStyle{Color: c, Width: w}, x0, y0, x1, y1)
}

// title prints a text at the top, wrapped.
func (p *page) title(lines []string) {
	s := style(titleEm, true)
	for _, l := range lines {
		p.y -= titleEm * lead
		p.text(s, margin, p.y, l)
	}
	p.y -= 8
}

// longest is how many letters of a text are drawn at most.
const longest = 300

// wrap breaks a text into lines that fit.
func wrap(s draw.TextStyle, t string, most vg.Length) []string {
	if runes := []rune(t); len(runes) > longest {
		t = string(runes[:longest]) + "..."
	}
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(t) {
		for s.Width(word) > most { // a word longer than a line
			cut := len(word)
			for cut > 1 && s.Width(word[:cut]) > most {
				cut--
				for cut > 1 && !runeStart(word[cut]) {
					cut--
				}
			}
			if cut >= len(word) || cut <= 1 {
				break
			}
			if line != "" {
				lines, line = append(lines, line), ""
			}
			lines, word = append(lines, word[:cut]), word[cut:]
		}
		switch try := strings.TrimSpace(line + " " + word); {
		case s.Width(try) <= most:
			line = try
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

func runeStart(b byte) bool { return b&0xC0 != 0x80 }

// scale maps values to a side of the page, from 0 on.
type scale struct {
	most     float64
	from, to vg.Length
	ticks    []float64
}

// newScale makes one for values up to most, with round numbers for its marks.
func newScale(most float64, from, to vg.Length) scale {
	if !(most > 1e-12) || math.IsInf(most, 0) {
		most = 1
	}
	step := math.Pow(10, math.Floor(math.Log10(most)))
	for _, k := range []float64{0.1, 0.2, 0.25, 0.5, 1, 2} {
		if most/(step*k) <= 6 {
			step *= k
			break
		}
	}
	s := scale{from: from, to: to}
	for i := 0; ; i++ {
		v := float64(i) * step
		s.ticks = append(s.ticks, v)
		if v >= most {
			s.most = v
			return s
		}
	}
}

func (s scale) at(v float64) vg.Length {
	v = min(max(v, 0), s.most)
	return s.from + vg.Length(v/s.most)*(s.to-s.from)
}

// number prints a value with thousands set apart and no digits that say nothing.
func number(v float64) string {
	t := strconv.FormatFloat(v, 'g', 6, 64)
	if math.Abs(v) >= 1e8 || strings.Contains(t, "e-") {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	t = strconv.FormatFloat(v, 'f', -1, 64)
	if len(t) > 10 { // a mark that is no round number in binary
		t = strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', 6, 64), "0"), ".")
	}
	whole, part, dot := strings.Cut(t, ".")
	for at := len(whole) - 3; at > 0 && whole[at-1] != '-'; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if dot {
		return whole + "." + part
	}
	return whole
}

// short prints a value with about three digits.
func short(v float64) string {
	switch a := math.Abs(v); {
	case a < 10:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case a < 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return number(math.Round(v))
}

func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// plottable says whether a value can be drawn at all.
func plottable(v float64) bool { return finite(v) && math.Abs(v) < 1e15 }
