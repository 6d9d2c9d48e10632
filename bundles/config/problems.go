package config

import (
	"cmp"
	"fmt"
	"slices"

	"gavel"
)

// maxProblems limits the work that a hostile file can cause.
const maxProblems = 1000

// problemList collects the problems of one file.
type problemList struct {
	file    string
	list    []gavel.Problem
	dropped int // the number of problems beyond maxProblems
}

// full reports whether further problems are only counted.
func (p *problemList) full() bool { return len(p.list) >= maxProblems }

// add adds a problem.
func (p *problemList) add(at location, path, message, nearest, fix string) {
	if p.full() {
		p.dropped++
		return
	}
	p.list = append(p.list, gavel.Problem{Path: path, File: p.file, Line: at.line, Column: at.column,
		Message: message, Nearest: nearest, Fix: fix})
}

// sorted returns the problems in the order of the text.
func (p *problemList) sorted() []gavel.Problem {
	slices.SortStableFunc(p.list, func(a, b gavel.Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Path, b.Path))
	})
	if p.dropped > 0 {
		return append(p.list, gavel.Problem{File: p.file, Message: fmt.Sprintf("and %d more problems", p.dropped),
			Fix: "correct these first"})
	}
	return p.list
}
