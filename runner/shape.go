package runner

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// keepsShape says why an edited text could run something else than the one that was judged: it has
// other commands, or a redirection that could exchange the descriptors of the copies.
func keepsShape(before, after string) error {
	was, err := shapeOf(before)
	if err != nil {
		return err
	}
	is, err := shapeOf(after)
	if err != nil {
		return err
	}
	switch {
	case was.descriptor != "":
		return fmt.Errorf("it redirects descriptor %s, and only 0, 1 and 2 leave the copies as they are", was.descriptor)
	case was.calls != is.calls || was.sums != is.sums:
		return errors.New("it would be read differently")
	}
	return nil
}

// shape counts what a text has.
type shape struct {
	calls, sums int    // simple commands; arithmetic
	descriptor  string // the first that is redirected besides 0, 1 and 2
}

func shapeOf(text string) (s shape, err error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return s, err
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CallExpr:
			s.calls++
		case *syntax.ArithmCmd, *syntax.ArithmExp, *syntax.LetClause:
			s.sums++
		case *syntax.CoprocClause:
			s.descriptor = "of a coprocess"
		case *syntax.Redirect:
			if node.N != nil && !slices.Contains([]string{"0", "1", "2"}, node.N.Value) {
				s.descriptor = node.N.Value
			}
		}
		return true
	})
	return s, nil
}
