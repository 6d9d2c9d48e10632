package main

import (
	"fmt"

	"gavel"
	"gavel/bundles/config"
)

// findings collects findings about a configuration, with the line of each setting.
type findings struct {
	document *config.Document
	list     []gavel.Problem
}

// add adds a finding about the setting at a path. The returned finding may be completed until
// the next call of add.
func (f *findings) add(path, fix, format string, args ...any) *gavel.Problem {
	p := gavel.Problem{Path: path, File: f.document.File, Message: fmt.Sprintf(format, args...), Fix: fix}
	p.Line, p.Column, _ = f.document.Locate(path)
	f.list = append(f.list, p)
	return &f.list[len(f.list)-1]
}
