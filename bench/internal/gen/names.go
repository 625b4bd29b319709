package gen

import (
	"slices"
	"strconv"
	"strings"
)

// universe is all classes of one jar: each may name any other.
type universe struct {
	seed  uint64
	names []string // binary names, as "org/example/Reader$Builder", ascending by package
}

// newUniverse names n classes, about 18 to a package as fat jars have them.
func newUniverse(n int, seed uint64) *universe {
	r := newRandom(seed, 0)
	taken := map[string]bool{}
	var packages []string
	for range n/18 + 1 {
		packages = append(packages, unique(taken, r.packageName(n/3000+3)))
	}
	slices.Sort(packages)

	u := &universe{seed: seed, names: make([]string, 0, n)}
	for i, pkg := range packages {
		outer := ""
		for range n*(i+1)/len(packages) - len(u.names) {
			var name string
			switch {
			case outer != "" && r.percent(20):
				name = unique(taken, outer+"$"+strconv.Itoa(r.between(1, 6)))
			case outer != "" && r.percent(25):
				name = unique(taken, outer+"$"+r.className())
			default:
				name = unique(taken, pkg+"/"+r.className())
				outer = name
			}
			u.names = append(u.names, name)
		}
	}
	return u
}

// unique returns name, with a number behind it where it is taken.
func unique(taken map[string]bool, name string) string {
	try := name
	for i := 2; taken[try]; i++ {
		try = name + strconv.Itoa(i)
	}
	taken[try] = true
	return try
}

func (r random) packageName(vendors int) string {
	v := r.n(vendors)
	parts := []string{domains[v%len(domains)], words[v*7%len(words)]}
	for range r.between(1, 4) {
		parts = append(parts, r.word(words))
	}
	return strings.Join(parts, "/")
}

// className returns a simple name in camel case.
func (r random) className() string {
	var b strings.Builder
	for range r.between(1, 3) {
		b.WriteString(upper(r.word(words)))
	}
	if r.percent(60) {
		b.WriteString(r.word(roles))
	}
	return b.String()
}

// memberName returns the name of a field or, led by a verb, a method.
func (c *class) memberName(verb string) string {
	var b strings.Builder
	b.WriteString(verb)
	for range c.between(1, 3) {
		w := c.subject[c.low(len(c.subject))]
		if b.Len() > 0 {
			w = upper(w)
		}
		b.WriteString(w)
	}
	return b.String()
}

// message returns a text as stands in logs and exceptions.
func (c *class) message() string {
	var b strings.Builder
	b.WriteString(upper(c.subject[c.low(len(c.subject))]))
	for range c.between(1, 8) {
		b.WriteByte(' ')
		if c.percent(30) {
			b.WriteString(c.word(links))
		} else {
			b.WriteString(c.subject[c.low(len(c.subject))])
		}
	}
	b.WriteString(c.word([]string{"", "", "", ": ", ".", " [", " = ", ": %s", " {}"}))
	return b.String()
}

func upper(w string) string { return strings.ToUpper(w[:1]) + w[1:] }

var (
	domains = []string{"com", "org", "net", "io", "dev"}
	roles   = strings.Fields(`Factory Builder Handler Provider Impl Exception Listener Context Options Helper
		Service Manager Adapter Parser Writer Reader Iterator Config Filter Proto Visitor Type Key`)
	verbs = strings.Fields(`get set is has add remove create build parse read write find check update init
		resolve convert register apply visit load store merge clear compute to from with`)
	links = strings.Fields("the of for in to is not with must be from at by was no a on and or")
	words = strings.Fields(`access account action active address agent alias allocator anchor api archive
		argument array asset async attribute audit auth backend balance base batch binary binding block body
		boundary branch bridge broker bucket buffer bundle cache call cancel capacity catalog cell channel
		check child chunk client clock cluster code codec collection column command common compact
		compiler component condition config connection consumer container content context control cookie core
		count credential current cursor data date decoder delegate descriptor device digest directory
		discovery dispatch document domain driver duration dynamic edge element encoder endpoint engine entity
		entry error event exchange executor expression extension factory feature field file filter flag
		flow format frame function future gateway generic global graph grid group handle hash header health
		heap host http id image import index input instance integer interceptor internal interval
		item job json key label language layer layout lease length level library lifecycle limit line link list
		load local location lock log logger loop mapping marker mask match matrix media member memory
		message metadata method metric mode model module monitor mutable name network node notification
		number object observer offset operation option order output owner packet page parameter parent
		partition password path pattern payload peer permission pipeline platform plugin point policy pool port
		prefix primitive priority process producer profile project property protocol provider proxy publish
		quality query queue quota range rate record recovery reference reflection region registry relation
		remote replica report repository request resolver resource response result retry role root route row
		rule runtime sample scale schedule schema scope script search secret section segment select sequence
		server service session shard shared signal signature size snapshot socket sort source span stack stage
		state status storage stream string strategy subject subscription suffix symbol sync syntax system
		table target task template tenant text thread throttle ticket time timeout token topic trace tracker
		traffic transaction transform transport tree trigger type unit update upload user util validation value
		variable vector version view visitor watch weight window worker wrapper writer xml yield zone`)
)
