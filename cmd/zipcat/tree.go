package main

import (
	"iter"
	"strings"

	"zipcat.dev/zipfile"
)

// node is a file or a directory of a tree of names.
type node struct {
	name     string
	children []*node
	byName   map[string]*node
}

func (n *node) child(name string) *node {
	if c := n.byName[name]; c != nil {
		return c
	}
	c := &node{name: name}
	if n.byName == nil {
		n.byName = make(map[string]*node)
	}
	n.byName[name] = c
	n.children = append(n.children, c)
	return c
}

// listTree prints names as a tree, in the order in which they come first. A directory with one name in
// it stands in one line with that, so that deep paths stay readable.
func (a *app) listTree(ar *archive, chosen iter.Seq[zipfile.Entry]) {
	root := new(node)
	for e := range chosen {
		name, dir := strings.CutSuffix(ar.title(e), "/")
		at := root
		for part := range strings.SplitSeq(name, "/") {
			at = at.child(part)
		}
		if dir && at.byName == nil {
			at.byName = make(map[string]*node)
		}
	}
	a.printTree(root, "")
}

func (a *app) printTree(n *node, indent string) {
	for i, c := range n.children {
		branch, below := "├── ", "│   "
		if i == len(n.children)-1 {
			branch, below = "└── ", "    "
		}
		var label strings.Builder
		label.WriteString(c.name)
		for len(c.children) == 1 {
			c = c.children[0]
			label.WriteByte('/')
			label.WriteString(c.name)
		}
		if c.byName != nil {
			label.WriteByte('/')
		}
		a.out.WriteString(indent)
		a.out.WriteString(branch)
		a.out.WriteString(printable(label.String()))
		a.out.WriteByte('\n')
		if a.out.failed() {
			return
		}
		a.printTree(c, indent+below)
	}
}
