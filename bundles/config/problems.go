package config

import (
	"cmp"
	"fmt"
	"slices"

	"gavel"
)

// maxProblems limits the work that a hostile file can cause.
const maxProblems = 1000

// problems collects what is wrong with one file.
type problems struct {
	file string
	list []gavel.Problem
	more int // number of problems not kept
}

// full says that further problems are only counted.
func (p *problems) full() bool { return len(p.list) >= maxProblems }

// add keeps one problem. The zero place means that none is known.
func (p *problems) add(at place, path, message, nearest, fix string) {
	if p.full() {
		p.more++
		return
	}
	p.list = append(p.list, gavel.Problem{Path: path, File: p.file, Line: at.line, Column: at.column,
		Message: message, Nearest: nearest, Fix: fix})
}

// sorted returns the problems in the order of the text.
func (p *problems) sorted() []gavel.Problem {
	slices.SortStableFunc(p.list, func(a, b gavel.Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Path, b.Path))
	})
	if p.more > 0 {
		return append(p.list, gavel.Problem{File: p.file, Message: fmt.Sprintf("and %d more problems", p.more),
			Fix: "correct these first"})
	}
	return p.list
}
