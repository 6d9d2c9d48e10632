package hostconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Change is what a file is, and is to be.
type Change struct {
	Path          string
	Before, After []byte // nil if there is no file
	Mode          fs.FileMode
	// Restores is true if After is what the file was before Gavel was installed; Backup is the
	// file that says so, or "" if there was none.
	Restores bool
	Backup   string
}

// Changed reports whether there is anything to do.
func (c Change) Changed() bool {
	return (c.Before == nil) != (c.After == nil) || string(c.Before) != string(c.After)
}

// ErrManual is the error for a host that people must set up by hand. Its text says how.
type ErrManual struct{ Do string }

// Error says what to do.
func (e ErrManual) Error() string { return e.Do }

// Install plans the changes that install Gavel's hooks at a level. It writes nothing.
func (m Machine) Install(host Host, level string) ([]Change, error) { return m.plan(host, level, true) }

// Uninstall plans the changes that take Gavel's hooks out at a level, and nothing else.
func (m Machine) Uninstall(host Host, level string) ([]Change, error) {
	return m.plan(host, level, false)
}

func (m Machine) plan(host Host, level string, in bool) ([]Change, error) {
	if host.Manual != "" {
		return nil, ErrManual{host.Manual}
	}
	if host.Plugin && m.Unattended {
		return nil, fmt.Errorf("the plugin of %s has no %s: it never asks the person at the keyboard; leave the option out", host.Title, unattended)
	}
	name, err := m.File(host, level)
	if err != nil {
		return nil, err
	}
	switch {
	case host.Plugin:
		return m.plugin(name, in)
	case host.Script != "":
		return m.script(host, name, in)
	}
	before, err := read(name)
	if err != nil {
		return nil, err
	}
	after, err := m.edited(host, host.Levels[level], name, before, in)
	if err != nil {
		return nil, err
	}
	change := Change{Path: name, Before: before, After: after, Mode: 0o600}
	if level != User {
		change.Mode = 0o644
	}
	switch {
	case before == nil && !in:
		change.After = nil
	case !in:
		m.restore(&change, host, host.Levels[level])
	}
	if in || host.Trust != "codex" {
		return []Change{change}, nil
	}
	trust, err := m.distrust(host, name, before)
	return []Change{change, trust}, err
}

// edited returns the text of a file with Gavel's hooks, or without them.
func (m Machine) edited(host Host, level Level, name string, before []byte, in bool) ([]byte, error) {
	d, err := parse(before)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w; correct it, and try again", name, err)
	}
	if err := m.edit(d, host, level, in); err != nil {
		return nil, fmt.Errorf("change %s: %w", name, err)
	}
	return d.text(), nil
}

// edit adds Gavel's hooks to a document, or removes them. A hook that is there already, as it
// should be, is left alone.
func (m Machine) edit(d *document, host Host, level Level, in bool) error {
	for _, list := range host.Lists {
		item := m.filled(host, list.Item)
		have, _ := d.get(list.At)
		elements, isList := have.([]any)
		if have != nil && !isList {
			return fmt.Errorf("%s is not a list", list.At)
		}
		mine := slices.DeleteFunc(slices.Clone(elements), func(v any) bool { return !isGavel(v) })
		if in && len(mine) == 1 && same(mine[0], item) {
			continue
		}
		d.drop(list.At, isGavel)
		if in {
			if err := d.add(list.At, item); err != nil {
				return err
			}
		}
	}
	if !in {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(level.Set)) {
		if _, err := d.set(name, level.Set[name]); err != nil {
			return err
		}
	}
	return nil
}

// isGavel reports whether an element of a list of hooks runs Gavel, and nothing else.
func isGavel(element any) bool {
	object, ok := element.(map[string]any)
	if !ok {
		return false
	}
	if inner, ok := object["hooks"].([]any); ok {
		return len(inner) > 0 && !slices.ContainsFunc(inner, func(v any) bool { return !isGavel(v) })
	}
	command := commandOf(object)
	if len(command) == 0 {
		return false
	}
	name := filepath.Base(command[0])
	return name == small || name == "gavel" && len(command) > 1 && command[1] == "hook"
}

// commandOf is the program of a hook and its arguments. The text of a shell command is split
// as {command} was written.
func commandOf(hook map[string]any) []string {
	program, _ := hook["exec"].(string)
	if program == "" {
		program, _ = hook["command"].(string)
	}
	if args, ok := hook["args"].([]any); ok {
		words := []string{program}
		for _, arg := range args {
			text, _ := arg.(string)
			words = append(words, text)
		}
		return words
	}
	return words(program)
}

// words splits a shell command with plain and single-quoted words.
func words(command string) []string {
	var list []string
	for _, match := range regexp.MustCompile(`(?:'[^']*'|\\'|[^\s'])+`).FindAllString(command, -1) {
		match = strings.ReplaceAll(match, `'\''`, "\x00")
		match = strings.ReplaceAll(match, "'", "")
		list = append(list, strings.ReplaceAll(match, "\x00", "'"))
	}
	return list
}

// script plans a hook that is a file of its own. Another program's file is not replaced.
func (m Machine) script(host Host, name string, in bool) ([]Change, error) {
	before, err := read(name)
	if err != nil {
		return nil, err
	}
	after, _ := m.filled(host, host.Script).(string)
	mine := before == nil || regexp.MustCompile(`(?m)^exec .*gavel(-hook)?'? (hook )?`+regexp.QuoteMeta(host.Name)+`( `+unattended+`)?$`).Match(before)
	change := Change{Path: name, Before: before, After: []byte(after), Mode: 0o755}
	switch {
	case in && !mine:
		return nil, fmt.Errorf("%s already holds another hook: move it away, or make it run %s at its end", name, strings.TrimSpace(strings.SplitAfter(after, "\n")[1]))
	case !in && mine:
		change.After = nil
	case !in:
		change.After = before
	}
	return []Change{change}, nil
}

// plugin plans the files of a plugin, beside the one that the host loads.
func (m Machine) plugin(name string, in bool) ([]Change, error) {
	var changes []Change
	for _, inner := range slices.Sorted(maps.Keys(m.Plugin)) {
		change := Change{Path: filepath.Join(filepath.Dir(name), inner), After: m.Plugin[inner], Mode: 0o644}
		var err error
		if change.Before, err = read(change.Path); err != nil {
			return nil, err
		}
		ours := change.Before == nil || bytes.Equal(change.Before, change.After) || bytes.Contains(change.Before, []byte("Gavel"))
		switch {
		case in && !ours:
			return nil, fmt.Errorf("%s is not Gavel's: move it away, and try again", change.Path)
		case !in && ours:
			change.After = nil
		case !in:
			change.After = change.Before
		}
		changes = append(changes, change)
	}
	if len(changes) == 0 {
		return nil, errors.New("this build has no plugin")
	}
	return changes, nil
}

// read returns a file's text; nil if there is none.
func read(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a host's settings: %w", err)
	}
	if text == nil {
		text = []byte{}
	}
	return text, nil
}
