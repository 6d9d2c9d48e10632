package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"

	"gavel"
)

// This file formats text for people. Names, commands and reasons come from the maker of a call, so
// everything passes through clean before it reaches a terminal.

// defaultWidth is the width of a table if the width of the output is unknown.
const defaultWidth = 120

// clean sanitises text for a terminal: control and invisible characters are written as escapes, so
// that nothing can move the cursor or reorder a line.
func clean(text string) string {
	if !strings.ContainsFunc(text, hostile) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if hostile(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hostile(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }

// width is the number of columns that a cleaned text takes.
func width(text string) int { return runewidth.StringWidth(text) }

// fit pads or shortens text to a number of columns.
func fit(text string, columns int) string {
	return runewidth.FillRight(runewidth.Truncate(text, columns, "…"), columns)
}

// cut fits a text to a column of a table. Only a terminal has too few columns: text for a file
// or a pipe stays whole.
func (a *app) cut(text string, columns int) string {
	if !a.terminal.stdout {
		return runewidth.FillRight(text, columns)
	}
	return fit(text, columns)
}

// wrapped breaks a cleaned text between words, into lines of a number of columns. A word that is
// longer has a line of its own.
func wrapped(text string, columns int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && width(line)+1+width(word) > columns {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// paragraph cleans and indents a text. On a terminal it is broken between words.
func (a *app) paragraph(text string) string {
	lines := []string{clean(text)}
	if a.terminal.stdout {
		lines = wrapped(lines[0], a.columns()-len(indent))
	}
	return indent + strings.Join(lines, "\n"+indent) + "\n"
}

// colour is an SGR parameter of a terminal.
type colour string

const (
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	bold   colour = "1"
	dim    colour = "2"
)

// paint colours text on a terminal, unless NO_COLOR is set (no-color.org).
func (a *app) paint(c colour, text string) string {
	if !a.terminal.stdout || a.getenv("NO_COLOR") != "" || a.getenv("TERM") == "dumb" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

func effectColour(e gavel.Effect) colour {
	switch e {
	case gavel.Allow:
		return green
	case gavel.Ask:
		return yellow
	default:
		return red
	}
}

// columns returns how wide the output may be.
func (a *app) columns() int {
	if a.terminal.width > 0 {
		return a.terminal.width
	}
	return defaultWidth
}

// aligned formats a table with columns as wide as their contents.
func aligned(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], width(clean(text)))
		}
	}
	var out strings.Builder
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, text := range row {
			cells[i] = clean(text) + strings.Repeat(" ", widths[i]-width(clean(text)))
		}
		out.WriteString(strings.TrimRight(strings.Join(cells, "  "), " ") + "\n")
	}
	return out.String()
}

// place returns the location of a setting: file:line, or its path if it is in no file.
func place(s gavel.Source) string {
	if s.File != "" {
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return s.Path
}

// printf writes text for people. It ignores write errors, such as a closed pipe, because there
// is nowhere to report them.
func (a *app) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(a.stdout, format, args...)
}

// indented cleans and indents a text of several lines.
func indented(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = indent + clean(line)
	}
	return strings.Join(lines, "\n")
}
