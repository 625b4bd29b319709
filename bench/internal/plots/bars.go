package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bar is a contender.
type Bar struct {
	Label        string
	Ours         bool
	Group        int     // bars of one group stand together
	Second       bool    // drawn lighter: the second of two ways to measure
	Mean, Lo, Hi float64 // in the unit; Lo and Hi bound the interval, infinite where there is none
}

// Bars are contenders side by side, with their intervals.
type Bars struct {
	Title string
	Axis  string // what is measured, with its unit
	Unit  string
	First string // what bars that are not Second are, where there are both
	Other string // what Second are
	Bars  []Bar
}

const (
	barThick = 13
	barGap   = 7
	groupGap = 8
	widest   = 230 // of labels

	valueWide = 62 // of the column of values
)

// Draw draws horizontal bars, from zero on, so that long names can be read.
func (b *Bars) Draw() *Drawing {
	label := func(bar Bar) draw.TextStyle { return style(labelEm, bar.Ours) }
	var labels [][]string
	var heights []vg.Length
	left, most, total := vg.Length(0), 0.0, vg.Length(0)
	mixed, seconds, cut := [2]bool{}, false, false
	for _, bar := range b.Bars {
		lines := wrap(label(bar), bar.Label, widest)
		labels = append(labels, lines)
		for _, l := range lines {
			left = max(left, label(bar).Width(l))
		}
		h := max(barThick, vg.Length(len(lines))*labelEm*lead)
		heights = append(heights, h)
		if plottable(bar.Mean) {
			most = max(most, bar.Mean)
		}
		if bar.Ours {
			mixed[0] = true
		} else {
			mixed[1] = true
		}
		seconds = seconds || bar.Second
	}
	// An interval of few runs may be wider than all that is measured: it is cut off there.
	limit := most * 1.6
	for _, bar := range b.Bars {
		if plottable(bar.Mean) && plottable(bar.Hi) {
			most = max(most, min(bar.Hi, limit))
		}
		cut = cut || plottable(bar.Mean) && !(bar.Hi <= limit)
	}
	for i, h := range heights {
		total += h + barGap
		if i > 0 && b.Bars[i].Group != b.Bars[i-1].Group && seconds {
			total += groupGap
		}
	}

	titles := wrap(style(titleEm, true), b.Title, width-2*margin)
	legend := b.legend(mixed, seconds)
	note := "Whiskers: 99.9 % confidence interval of the mean; none where it reaches down to zero."
	if cut {
		note += " An arrow: the interval goes on beyond the edge."
	}
	height := 2*margin + vg.Length(len(titles))*titleEm*lead + 8 + total + 14 + 2*labelEm*lead + smallEm*lead + 10
	rows := rowsOf(legend)
	height += vg.Length(len(rows)) * (labelEm*lead + 8)
	p := newPage(height)
	p.title(titles)
	x0 := vg.Length(margin) + left + 8
	s := newScale(most, x0, width-margin-valueWide)
	top := p.y
	bottom := top - total - 4

	small := style(smallEm, false)
	for _, t := range s.ticks {
		x := s.at(t)
		p.line(grid, 0.7, x, bottom, x, top)
		c := small
		c.XAlign = draw.XCenter
		p.text(c, x, bottom-smallEm*lead, number(t))
	}
	y := top - barGap/2
	for i, bar := range b.Bars {
		if i > 0 && bar.Group != b.Bars[i-1].Group && seconds {
			y -= groupGap
		}
		middle := y - heights[i]/2
		ts := label(bar)
		ts.XAlign = draw.XRight
		// Letters without descenders are 0.7 of the size high.
		at := middle + vg.Length(len(labels[i])-1)*labelEm*lead/2 - labelEm*0.35
		for _, l := range labels[i] {
			p.text(ts, x0-6, at, l)
			at -= labelEm * lead
		}
		p.bar(s, bar, middle, b.Unit)
		y -= heights[i] + barGap
	}
	p.line(black, 1, x0, bottom, x0, top)
	p.line(black, 1, x0, bottom, s.to, bottom)

	axis := style(labelEm, false)
	axis.XAlign = draw.XCenter
	p.y = bottom - smallEm*lead - labelEm*lead - 4
	p.text(axis, (x0+s.to)/2, p.y, b.Axis)
	for _, row := range rows {
		p.y -= labelEm*lead + 8
		p.keys(row)
	}
	p.y -= smallEm*lead + 4
	grey := small
	grey.Color = dark
	p.text(grey, margin, p.y, note)
	return p.drawing
}

// key is an entry of the legend.
type key struct {
	bar  Bar
	text string
}

func (b *Bars) legend(mixed [2]bool, seconds bool) []key {
	var list []key
	for _, isOurs := range []bool{true, false} {
		who := "others"
		if isOurs {
			who = "ours (name in bold)"
		}
		if isOurs && !mixed[0] || !isOurs && !mixed[1] {
			continue
		}
		switch {
		case seconds && mixed[0] && mixed[1]:
			list = append(list, key{Bar{Ours: isOurs}, who + ", " + b.First}, key{Bar{Ours: isOurs, Second: true}, who + ", " + b.Other})
		case seconds:
			list = append(list, key{Bar{Ours: isOurs}, b.First}, key{Bar{Ours: isOurs, Second: true}, b.Other})
		case mixed[0] && mixed[1]:
			list = append(list, key{Bar{Ours: isOurs}, who})
		}
	}
	return list
}

// rowsOf breaks a legend into rows that fit.
func rowsOf(list []key) (rows [][]key) {
	x := vg.Length(width)
	for _, k := range list {
		if x+keyWide(k) > width-margin {
			rows, x = append(rows, nil), margin
		}
		x += keyWide(k)
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
	}
	return rows
}

func keyWide(k key) vg.Length { return 25 + style(labelEm, false).Width(k.text) + 22 }

func (p *page) keys(list []key) {
	s := style(labelEm, false)
	x := vg.Length(margin)
	for _, k := range list {
		p.box(k.bar, x, p.y-1.5, x+20, p.y+8.5)
		p.text(s, x+25, p.y, k.text)
		x += keyWide(k)
	}
}

// bar draws a bar, its interval and its value.
func (p *page) bar(s scale, bar Bar, y vg.Length, unit string) {
	if !plottable(bar.Mean) {
		p.value(s, y, "-")
		return
	}
	x := s.at(bar.Mean)
	p.box(bar, s.from, y-barThick/2, x, y+barThick/2)
	if lo, hi := bar.Lo, bar.Hi; lo == lo && hi == hi && lo < hi {
		from, to := s.at(lo), s.at(hi)
		// White around it, to be seen on a dark bar and on a hatched one.
		p.line(paper, 2.4, from, y, min(to, x), y)
		p.line(black, 1.1, from, y, to, y)
		for _, e := range []struct {
			at    vg.Length
			inner bool
			way   vg.Length
		}{{from, lo >= 0, -1}, {to, hi <= s.most, 1}} {
			switch {
			case e.inner:
				p.line(black, 1.1, e.at, y-3.5, e.at, y+3.5)
			case e.way > 0:
				p.line(black, 1.1, e.at, y, e.at-4, y-3)
				p.line(black, 1.1, e.at, y, e.at-4, y+3)
			}
		}
	}
	p.value(s, y, short(bar.Mean)+" "+unit)
}

// value prints what a bar stands for in the column beside all of them.
func (p *page) value(s scale, y vg.Length, text string) {
	ts := style(smallEm, false)
	ts.XAlign = draw.XRight
	p.text(ts, s.to+valueWide, y-smallEm*0.35, text)
}

// box draws the area of a bar: ours full, others hatched; the second of two ways lighter, and
// hatched the other way.
func (p *page) box(bar Bar, x0, y0, x1, y1 vg.Length) {
	fill, ink := color.Color(ours), color.Color(nil)
	switch {
	case bar.Ours && bar.Second:
		fill = light
	case !bar.Ours:
		fill, ink = color.Gray{238}, color.Gray{110}
		if bar.Second {
			fill = paper
		}
	}
	p.rectangle(x0, y0, x1, y1, fill)
	if ink != nil {
		p.hatch(ink, x0, y0, x1, y1, bar.Second)
	}
	p.StrokeLines(draw.LineStyle{Color: black, Width: 0.7}, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}, {X: x0, Y: y0}})
}

// hatch fills an area with slanting lines.
func (p *page) hatch(c color.Color, x0, y0, x1, y1 vg.Length, back bool) {
	const apart = 4.5
	h := y1 - y0
	for at := x0 - h; at < x1; at += apart {
		from, to := max(at, x0), min(at+h, x1)
		if from >= to {
			continue
		}
		ya, yb := y0+(from-at), y0+(to-at)
		if back {
			ya, yb = y1-(from-at), y1-(to-at)
		}
		p.line(c, 0.8, from, ya, to, yb)
	}
}
