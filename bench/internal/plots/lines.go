package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Point is a value of a line.
type Point struct{ X, Mean, Lo, Hi float64 }

// Line is the values of one contender over an axis.
type Line struct {
	Name   string
	Ours   bool
	Points []Point // ascending by X
}

// Lines are contenders over an axis.
type Lines struct {
	Title string
	X     string // what the axis is
	Y     string // what is measured, with its unit
	Lines []Line
}

var (
	dashes = [][]vg.Length{nil, {7, 3}, {2, 2}, {8, 3, 2, 3}, {12, 4}, {4, 2, 1, 2, 1, 2}, {1, 3}}
	shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{},
		draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}}
)

const (
	plotHeight = 270
	legendWide = 165
	keyGap     = 5
)

// Draw draws lines with whiskers, the legend beside them.
func (l *Lines) Draw() *Drawing {
	titles := wrap(style(titleEm, true), l.Title, width-2*margin)
	var xs []float64
	most := 0.0
	cut := false
	for _, line := range l.Lines {
		for _, pt := range line.Points {
			if plottable(pt.X) && plottable(pt.Mean) {
				xs = append(xs, pt.X)
				most = max(most, pt.Mean)
			}
		}
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	limit := most * 1.6
	for _, line := range l.Lines {
		for _, pt := range line.Points {
			if plottable(pt.Mean) && plottable(pt.Hi) {
				most = max(most, min(pt.Hi, limit))
			}
			cut = cut || plottable(pt.Mean) && !(pt.Hi <= limit)
		}
	}
	high := vg.Length(0) // of the legend
	for _, line := range l.Lines {
		high += vg.Length(len(line.wrapped()))*labelEm*lead + keyGap
	}
	high = max(high, plotHeight)
	p := newPage(2*margin + vg.Length(len(titles))*titleEm*lead + 8 + labelEm*lead + high + 3*labelEm*lead + 14)
	p.title(titles)
	small, axis := style(smallEm, false), style(labelEm, false)
	p.y -= labelEm
	p.text(axis, margin, p.y, l.Y)
	top := p.y - 8
	bottom := top - high
	y := newScale(most, bottom, top)
	left := vg.Length(0)
	for _, t := range y.ticks {
		left = max(left, small.Width(number(t)))
	}
	x0, x1 := margin+left+6, vg.Length(width-margin-legendWide)
	for _, t := range y.ticks {
		at := y.at(t)
		p.line(grid, 0.7, x0, at, x1, at)
		ts := small
		ts.XAlign = draw.XRight
		p.text(ts, x0-5, at-smallEm*0.35, number(t))
	}
	x := newAxis(xs, x0+22, x1-22)
	last := vg.Length(math.Inf(-1))
	for _, v := range xs {
		at, t := x(v), number(v)
		p.line(black, 0.8, at, bottom, at, bottom-4)
		if half := small.Width(t) / 2; at-half > last+4 { // else it would touch the one before
			ts := small
			ts.XAlign = draw.XCenter
			p.text(ts, at, bottom-5-smallEm, t)
			last = at + half
		}
	}
	p.line(black, 1, x0, bottom, x0, top)
	p.line(black, 1, x0, bottom, x1, bottom)
	axis.XAlign = draw.XCenter
	p.y = bottom - 9 - smallEm - labelEm
	p.text(axis, (x0+x1)/2, p.y, l.X)
	note := "Whiskers: 99.9 % confidence interval of the mean; none where it reaches down to zero."
	if cut {
		note += " An arrow: the interval goes on beyond the edge."
	}
	if any := func(is bool) bool { return slices.ContainsFunc(l.Lines, func(x Line) bool { return x.Ours == is }) }; any(true) && any(false) {
		note += " Bold: ours."
	}
	grey := small
	grey.Color = dark
	p.text(grey, margin, p.y-smallEm*lead-6, note)

	for i, line := range l.Lines {
		// Points of different lines over one place stand side by side.
		aside := (vg.Length(i) - vg.Length(len(l.Lines)-1)/2) * min(5, 26/vg.Length(max(len(l.Lines), 1)))
		p.curve(i, line, func(v float64) vg.Length { return x(v) + aside }, y)
	}
	p.legend(l.Lines, x1+14, top)
	return p.drawing
}

// newAxis maps what is on the axis to the page: by its logarithm where it grows by factors.
func newAxis(xs []float64, from, to vg.Length) func(float64) vg.Length {
	if len(xs) < 2 {
		return func(float64) vg.Length { return (from + to) / 2 }
	}
	f := func(v float64) float64 { return v }
	if len(xs) > 2 && xs[0] > 0 && xs[len(xs)-1]/xs[0] >= 4 {
		f = math.Log
	}
	lo, hi := f(xs[0]), f(xs[len(xs)-1])
	return func(v float64) vg.Length { return from + vg.Length((f(v)-lo)/(hi-lo))*(to-from) }
}

// wrapped is the name as it stands in the legend.
func (l *Line) wrapped() []string { return wrap(style(labelEm, l.Ours), l.Name, legendWide-14-36) }

func look(i int) (c color.Color, line draw.LineStyle, glyph draw.GlyphStyle) {
	c = colors[i%len(colors)]
	// Lines beyond the seventh differ in how colour, shape and dashes go together.
	line = draw.LineStyle{Color: c, Width: 1.6, Dashes: dashes[(i+2*(i/len(dashes)))%len(dashes)]}
	glyph = draw.GlyphStyle{Color: c, Radius: 3.8, Shape: shapes[(i+i/len(shapes))%len(shapes)]}
	return c, line, glyph
}

func (p *page) curve(i int, l Line, x func(float64) vg.Length, y scale) {
	c, line, glyph := look(i)
	var points []vg.Point
	for _, pt := range l.Points {
		if !plottable(pt.X) || !plottable(pt.Mean) {
			continue
		}
		at := vg.Point{X: x(pt.X), Y: y.at(pt.Mean)}
		points = append(points, at)
		if !(pt.Lo < pt.Hi) {
			continue
		}
		from, to := y.at(pt.Lo), y.at(pt.Hi)
		p.line(c, 0.9, at.X, from, at.X, to)
		if pt.Lo >= 0 {
			p.line(c, 0.9, at.X-3, from, at.X+3, from)
		}
		if pt.Hi <= y.most {
			p.line(c, 0.9, at.X-3, to, at.X+3, to)
		} else {
			p.line(c, 0.9, at.X, to, at.X-3, to-4)
			p.line(c, 0.9, at.X, to, at.X+3, to-4)
		}
	}
	if len(points) > 1 {
		p.StrokeLines(line, points)
	}
	for _, at := range points {
		p.DrawGlyph(glyph, at)
	}
}

// legend lists the lines from top to bottom in the order in which they end, so that the eye finds them.
func (p *page) legend(lines []Line, x, y vg.Length) {
	order := make([]int, len(lines))
	end := func(i int) float64 {
		if n := len(lines[i].Points); n > 0 {
			return lines[i].Points[n-1].Mean
		}
		return 0
	}
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := end(a), end(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for _, i := range order {
		_, line, glyph := look(i)
		s := style(labelEm, lines[i].Ours)
		y -= labelEm * lead
		p.StrokeLine2(line, x, y+3.3, x+30, y+3.3)
		p.DrawGlyph(glyph, vg.Point{X: x + 15, Y: y + 3.3})
		for k, t := range lines[i].wrapped() {
			if k > 0 {
				y -= labelEm * lead
			}
			p.text(s, x+36, y, t)
		}
		y -= keyGap
	}
}
