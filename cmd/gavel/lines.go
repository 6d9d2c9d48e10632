package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"gavel"
	"gavel/internal/strictjson"
)

// maxLine is the largest size of a call in bytes, as over HTTP.
const maxLine = 1 << 20

// errTooLong says that a line is longer than maxLine.
var errTooLong = errors.New("the line is longer than 1 MiB")

// input is the source of calls.
type input struct {
	io.ReadCloser
	name string
}

// open opens a file, or standard input for "-" and for no argument. If standard input is a
// terminal and no argument is given, it returns an error, because the user may not know that
// input is expected.
func (a *app) open(name, usage string) (input, error) {
	switch {
	case name == "" && a.terminal.stdin:
		return input{}, fix(errors.New("no calls: standard input is a terminal"), "name a file, or pipe calls in: "+usage)
	case name == "" || name == "-":
		return input{io.NopCloser(a.stdin), "stdin"}, nil
	}
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) && strings.ContainsAny(name, " {") {
		return input{}, fix(errors.New("read calls: there is no file with this name, and a call is not an argument"), "pipe it in: "+piped(name, usage))
	}
	if err != nil {
		return input{}, fix(fmt.Errorf("read calls: %w", err), "name a file of calls, one JSON object per line, or - for standard input")
	}
	return input{file, name}, nil
}

// piped returns a line for a shell that pipes a call to the command of usage, which begins with
// gavel and its name. given is the call, or the text of a command.
func piped(given, usage string) string {
	if !strings.HasPrefix(given, "{") {
		text, err := json.Marshal(given)
		if err != nil {
			return usage
		}
		given = `{"agent":{"id":"coder"},"tool":{"name":"exec","params":{"command":` + string(text) + `}}}`
	}
	return "printf %s '" + strings.ReplaceAll(given, "'", `'\''`) + "' | " + strings.Join(strings.Fields(usage)[:2], " ")
}

// lines reads numbered lines, starting with 1, and skips blank ones. A call may take several
// lines, as indenting programs print it: its first line is only the opening brace, and its last
// line is only the closing brace.
type lines struct {
	r      *bufio.Reader
	number int // of the first line of the last call
	behind int // how many further lines that call has
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, 64<<10)} }

// next returns the next line that is not blank. The error is io.EOF after the last line, and
// errTooLong for a line that was skipped because of its length.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.read()
		if errors.Is(err, errTooLong) {
			return nil, err
		}
		if string(bytes.TrimRight(line, " \t\r")) == "{" && err == nil {
			return l.spread(line)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// spread returns a call of several lines, from its first line to the one that ends it.
func (l *lines) spread(call []byte) ([]byte, error) {
	first := l.number
	defer func() { l.number, l.behind = first, l.number-first }()
	for {
		line, err := l.read()
		if errors.Is(err, errTooLong) {
			return nil, err
		}
		call = append(append(call, '\n'), line...)
		if len(call) > maxLine {
			return nil, errTooLong
		}
		if string(bytes.TrimRight(line, " \t\r")) == "}" || err != nil {
			return call, nil
		}
	}
}

// read returns one line without its line ending.
func (l *lines) read() ([]byte, error) {
	l.number += 1 + l.behind
	l.behind = 0
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > maxLine {
			return nil, errTooLong
		}
		return bytes.TrimSuffix(line, []byte("\n")), err
	}
}

// lineError is the error about a line that is not a call, in the reader's words.
func lineError(name string, number int, err error) (message, fix string) {
	var syntax *strictjson.Error
	var call *gavel.InputError
	switch {
	case errors.As(err, &syntax):
		fix = syntax.Fix
		if syntax.Incomplete && syntax.Line == 1 {
			fix = "write each call on one line: jq -c . FILE prints it so"
		}
		return fmt.Sprintf("%s:%d:%d: %s", name, number+syntax.Line-1, syntax.Column, at(syntax.Path, syntax.Message)), fix
	case errors.As(err, &call):
		return fmt.Sprintf("%s:%d:1: %s", name, number, call.Error()), call.Fix
	case errors.Is(err, errTooLong):
		return fmt.Sprintf("%s:%d:%d: %s", name, number, maxLine+1, err), "make the call smaller"
	default:
		return fmt.Sprintf("%s:%d:1: %s", name, number, err), ""
	}
}

func at(path, message string) string {
	if path == "" {
		return message
	}
	return path + ": " + message
}
