// Package cases reads decision cases: a policy, calls, and what must be decided,
// in one txtar file that people can read.
//
//	Deny wins over allow inside one step.
//
//	-- config.yaml --
//	tools: {allow: [read], deny: [read]}
//	agents: {main: {}}
//	-- calls.jsonl --
//	{"agent":{"id":"main"},"tool":{"name":"read"}}
//	-- want.jsonl --
//	{"decision":"deny","codes":["tools.denied"],"source":"tools.deny"}
//
// The comment says what the case shows. calls.jsonl and want.jsonl have as many
// lines as one another, blank lines aside. A file named now holds the time at which the
// calls are decided, such as 2026-11-22T09:30:00+01:00; without it, that is a Monday at ten. A file answers.jsonl says, with one line
// for each call, what verifiers answer, such as {"webhook":"denied: not today"}; {} is for a call
// that nobody is asked about. Nobody outside is asked in any case. Every other file belongs to the
// policy; a case without any is for the policy directory that it is in.
package cases

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"gavel"
	"gavel/internal/strictjson"
)

// ErrNone says that a pattern matches no case. A run of no cases would pass and
// show nothing.
var ErrNone = errors.New("no case was found")

// The files of a case that are not its policy.
const (
	callsFile = "calls.jsonl"
	wantFile  = "want.jsonl"
	nowFile   = "now"
	// answersFile says what verifiers answer.
	answersFile = "answers.jsonl"
)

// Case is one policy with calls and what must be decided about them.
type Case struct {
	Name    string // the file's name without .txtar
	Path    string
	Comment string
	Calls   []gavel.Call
	Texts   []string  // of the calls, as they are written
	Want    []Want    // one for each call
	Now     time.Time // when the calls are decided; zero for the Monday at ten

	policy  []txtar.File
	lines   []int                    // of Want, in the file
	answers [][]gavel.VerifierAnswer // of each call; nil for no file
}

// Read reads every case that a glob pattern matches, in the order of their names.
// The error wraps ErrNone when there is none, and otherwise names file and line.
func Read(pattern string) ([]Case, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("read cases: pattern %q: %w", pattern, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("read cases: %w: nothing matches %s", ErrNone, pattern)
	}
	list := make([]Case, 0, len(paths))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read cases: %w", err)
		}
		c, err := Parse(path, text)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// Parse reads one case. The path names it; the file itself is not opened.
func Parse(path string, text []byte) (Case, error) {
	c := Case{Name: strings.TrimSuffix(filepath.Base(path), ".txtar"), Path: path}
	archive := txtar.Parse(text)
	c.Comment = strings.TrimSpace(string(archive.Comment))
	if c.Comment == "" {
		return c, fmt.Errorf("%s:1: the comment is missing: begin with a sentence about what the case shows", path)
	}
	seen := map[string]bool{}
	for _, file := range archive.Files {
		if seen[file.Name] {
			return c, fmt.Errorf("%s: file %s occurs twice: keep one", path, file.Name)
		}
		seen[file.Name] = true
		if err := c.add(file, start(text, file.Name)); err != nil {
			return c, err
		}
	}
	switch {
	case len(c.Calls) == 0:
		return c, fmt.Errorf("%s: %s is missing or empty: give at least one call", path, callsFile)
	case len(c.Calls) != len(c.Want):
		return c, fmt.Errorf("%s: %d calls and %d lines of %s: give one line for each call", path, len(c.Calls), len(c.Want), wantFile)
	case c.answers != nil && len(c.Calls) != len(c.answers):
		return c, fmt.Errorf("%s: %d calls and %d lines of %s: give one line for each call, and {} where nobody is asked", path, len(c.Calls), len(c.answers), answersFile)
	}
	return c, nil
}

// add takes one file of the archive, whose first line has the given number.
func (c *Case) add(file txtar.File, first int) (err error) {
	switch file.Name {
	case nowFile:
		if c.Now, err = time.Parse(time.RFC3339, strings.TrimSpace(string(file.Data))); err != nil {
			return fmt.Errorf("%s:%d: the file %s must hold one time in RFC 3339, such as 2026-11-22T09:30:00+01:00", c.Path, first, nowFile)
		}
		return nil
	case callsFile:
		return each(c.Path, first, file.Data, func(_ int, line []byte) error {
			call, err := strictjson.DecodeCall(line, true)
			c.Calls, c.Texts = append(c.Calls, call), append(c.Texts, string(line))
			return err
		})
	case answersFile:
		return each(c.Path, first, file.Data, func(_ int, line []byte) error {
			said, err := parseAnswers(line)
			c.answers = append(c.answers, said)
			return err
		})
	case wantFile:
		return each(c.Path, first, file.Data, func(number int, line []byte) error {
			want, err := parseWant(line)
			c.Want, c.lines = append(c.Want, want), append(c.lines, number)
			return err
		})
	}
	if !fs.ValidPath(file.Name) || file.Name == "." {
		return fmt.Errorf("%s:%d: %q is not the name of a file in a policy: write it relative, without ..", c.Path, first-1, file.Name)
	}
	c.policy = append(c.policy, file)
	return nil
}

// each calls f for the lines that are not blank, with their numbers.
func each(path string, first int, text []byte, f func(number int, line []byte) error) error {
	for i, line := range bytes.Split(text, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := f(first+i, line); err != nil {
			return fmt.Errorf("%s:%d: %w", path, first+i, err)
		}
	}
	return nil
}

// start is the number of the first line of a file in an archive.
func start(text []byte, name string) int {
	for i, line := range bytes.Split(text, []byte("\n")) {
		marker, ok := bytes.CutPrefix(line, []byte("-- "))
		if marker, end := bytes.CutSuffix(bytes.TrimRight(marker, "\r"), []byte(" --")); ok && end &&
			string(bytes.TrimSpace(marker)) == name {
			return i + 2
		}
	}
	return 1
}

// Line is the number of the line that says what must be decided about call i.
func (c Case) Line(i int) int { return c.lines[i] }

// HasPolicy reports whether the case brings its own policy.
func (c Case) HasPolicy() bool { return len(c.policy) > 0 }

// WritePolicy writes the policy of the case into a directory.
func (c Case) WritePolicy(dir string) error {
	for _, file := range c.policy {
		name := filepath.Join(dir, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return fmt.Errorf("write the policy of case %s: %w", c.Name, err)
		}
		if err := os.WriteFile(name, file.Data, 0o600); err != nil {
			return fmt.Errorf("write the policy of case %s: %w", c.Name, err)
		}
	}
	return nil
}
