package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Edit is one change of a configuration. Path is a canonical path as for [Document.Locate]. Add
// appends Value to the list there, and Set replaces the scalar there. Missing maps and lists are
// created.
type Edit struct {
	Op    string
	Path  string
	Value any
}

// The operations of an edit.
const (
	Add = "add"
	Set = "set"
)

// errLayout means that an edit would change other settings too.
var errLayout = errors.New("the layout of the file is unusual: an edit could change other settings too")

// Apply edits the text of a configuration file, and keeps its comments, order and formatting. It
// parses the result and fails if anything but the edits has changed. It writes no file.
func Apply(file string, text []byte, edits []Edit) ([]byte, error) {
	const mark = "\ufeff"
	source, marked := strings.CutPrefix(string(text), mark)
	for _, edit := range edits {
		edited, err := apply(file, source, edit)
		if err != nil {
			return nil, fmt.Errorf("edit %s of %s: %w", edit.Path, file, err)
		}
		source = edited
	}
	if marked {
		source = mark + source
	}
	return []byte(source), nil
}

// apply makes one edit and compares the values before and after.
func apply(file, source string, edit Edit) (string, error) {
	root, err := read(file, source)
	if err != nil {
		return "", err
	}
	target := findTarget(root, edit.Path)
	splice, err := target.newSplice(newSource(file, source), edit)
	if err != nil {
		return "", err
	}
	edited := source[:splice.at] + splice.text + source[splice.end:]
	after, err := read(file, edited)
	if err != nil {
		return "", errors.Join(errLayout, err)
	}
	want, err := target.expect(root, edit)
	if err != nil {
		return "", err
	}
	if !reflect.DeepEqual(after.data(), want.data()) {
		return "", errLayout
	}
	return edited, nil
}

// read parses a text without making it canonical.
func read(file, source string) (*node, error) {
	problems := &problemList{file: file}
	root := parse(file, []byte(source), problems)
	if list := problems.sorted(); len(list) > 0 {
		return nil, errors.New(list[0].Message)
	}
	if root == nil || root.kind != mapping {
		return nil, errLayout
	}
	return root, nil
}

// target is where an edit applies: the last value on its path that exists, and the keys that are
// missing.
type target struct {
	node *node
	// key is the field that has node as its value. It is nil for the root and for a list item.
	key *field
	// holder is the mapping that has key.
	holder  *node
	missing []string
	steps   []any // keys and indexes in the text from the root to node
}

// findTarget follows a canonical path through the text. There, agents may be a list, and exec may
// be under tools.
func findTarget(root *node, path string) target {
	t := target{node: root}
	for rest := path; rest != ""; {
		if t.node.kind == list {
			index, after, ok := t.node.itemAt(rest)
			if !ok {
				break
			}
			t = target{node: t.node.items[index], steps: append(slices.Clone(t.steps), index)}
			rest = strings.TrimPrefix(after, ".")
			continue
		}
		f, after, ok := t.node.longestField(rest)
		if !ok {
			if listed, after := t.agent(rest); listed != nil {
				t, rest = *listed, after
				continue
			}
			if inner := t.node.child("tools"); isExec(t.steps, rest) && inner.get("exec") != nil {
				rest = "tools." + rest
				continue
			}
			t.missing = strings.Split(rest, ".")
			break
		}
		t = target{node: f.value, key: f, holder: t.node, steps: append(slices.Clone(t.steps), f.key)}
		rest = after
	}
	return t
}

// isExec reports whether the rest of a path is in the exec section of an agent. steps lead to the
// agent.
func isExec(steps []any, rest string) bool {
	return len(steps) >= 2 && steps[0] == "agents" && (len(steps) == 2 || steps[1] == agentList || steps[1] == agentEntries) && (rest == "exec" || strings.HasPrefix(rest, "exec."))
}

// agent finds an agent in agents.entries or agents.list.
func (t target) agent(rest string) (*target, string) {
	if len(t.steps) != 1 || t.steps[0] != "agents" {
		return nil, ""
	}
	id, after, _ := strings.Cut(rest, ".")
	if entries := t.node.child(agentEntries); entries != nil {
		for i := range entries.fields {
			if f := &entries.fields[i]; normalize(f.key) == id {
				return &target{node: f.value, key: f, holder: entries, steps: []any{"agents", agentEntries, f.key}}, after
			}
		}
	}
	listed := t.node.get(agentList)
	if listed == nil || listed.value.kind != list {
		return nil, ""
	}
	for i, item := range listed.value.items {
		if given := item.get("id"); given != nil && normalize(given.value.text) == id {
			return &target{node: item, steps: []any{"agents", agentList, i}}, after
		}
	}
	return nil, ""
}

// longestField returns the field with the longest key that a path begins with, and the rest of the
// path. Keys may contain dots.
func (n *node) longestField(path string) (problems *field, rest string, ok bool) {
	if n.kind != mapping {
		return nil, "", false
	}
	for i := range n.fields {
		f := &n.fields[i]
		after, matches := strings.CutPrefix(path, f.key)
		if !matches || after != "" && after[0] != '.' && after[0] != '[' || problems != nil && len(problems.key) >= len(f.key) {
			continue
		}
		problems, rest, ok = f, strings.TrimPrefix(after, "."), true
	}
	return problems, rest, ok
}

// itemAt reads an index such as [3] at the beginning of a path.
func (n *node) itemAt(path string) (index int, rest string, ok bool) {
	inner, ok := strings.CutPrefix(path, "[")
	if !ok {
		return 0, "", false
	}
	digits, rest, ok := strings.Cut(inner, "]")
	if !ok {
		return 0, "", false
	}
	if _, err := fmt.Sscanf(digits, "%d", &index); err != nil || index < 0 || index >= len(n.items) {
		return 0, "", false
	}
	return index, rest, true
}

// expect returns the tree that the text must have after an edit.
func (t target) expect(root *node, edit Edit) (*node, error) {
	value, err := valueNode(edit.Value)
	if err != nil {
		return nil, err
	}
	if edit.Op == Add {
		if len(t.missing) == 0 && t.node.kind == list {
			t.node.items = append(t.node.items, value)
			return root, nil
		}
		value = &node{kind: list, items: []*node{value}}
	}
	for i := len(t.missing) - 1; i > 0; i-- {
		value = &node{kind: mapping, fields: []field{{key: t.missing[i], value: value}}}
	}
	switch {
	case len(t.missing) == 0 || t.node.kind == null:
		if len(t.missing) > 0 {
			value = &node{kind: mapping, fields: []field{{key: t.missing[0], value: value}}}
		}
		*t.node = *value
	case t.node.kind == mapping:
		t.node.fields = append(t.node.fields, field{key: t.missing[0], value: value})
	default:
		return nil, errLayout
	}
	return root, nil
}
