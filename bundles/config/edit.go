package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Edit is one change to a configuration, at a canonical path as [Document.Locate] takes it.
// Add appends Value to the list at Path, Set replaces the scalar there. Whatever is missing
// on the way is created.
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

// errLayout means that an edit would change more of the text than it should.
var errLayout = errors.New("the layout of the file is unusual: an edit could change other settings too")

// Apply edits the text of a configuration file and keeps everything else in it: comments, order
// and formatting. The result is parsed and compared: if anything but the edits has changed, Apply
// returns an error. It writes no file.
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
	target := follow(root, edit.Path)
	splice, err := target.splice(newSource(file, source), edit)
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

// read parses a text as written, before anything is made canonical.
func read(file, source string) (*node, error) {
	found := &problems{file: file}
	root := parse(file, []byte(source), found)
	if list := found.sorted(); len(list) > 0 {
		return nil, errors.New(list[0].Message)
	}
	if root == nil || root.kind != mapping {
		return nil, errLayout
	}
	return root, nil
}

// target is where an edit goes: the last existing value on its path, and the keys that do not
// exist yet.
type target struct {
	node *node
	// key is the key of node in its mapping; nil for the root and for an item of a list.
	key *field
	// holder is the mapping that has key.
	holder  *node
	missing []string
	steps   []any // keys and indexes from the root to node, as written
}

// follow walks a canonical path as far as the text has it. Agents may be a list, and exec may be
// under tools.
func follow(root *node, path string) target {
	t := target{node: root}
	for rest := path; rest != ""; {
		if t.node.kind == list {
			index, after, ok := t.node.item(rest)
			if !ok {
				break
			}
			t = target{node: t.node.items[index], steps: append(slices.Clone(t.steps), index)}
			rest = strings.TrimPrefix(after, ".")
			continue
		}
		f, after, ok := t.node.longest(rest)
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

// isExec reports whether a path is the exec section of an agent.
func isExec(steps []any, rest string) bool {
	return len(steps) >= 2 && steps[0] == "agents" && (len(steps) == 2 || steps[1] == agentList || steps[1] == agentEntries) && (rest == "exec" || strings.HasPrefix(rest, "exec."))
}

// agent finds an agent of agents.entries or agents.list.
func (t target) agent(rest string) (*target, string) {
	if len(t.steps) != 1 || t.steps[0] != "agents" {
		return nil, ""
	}
	id, after, _ := strings.Cut(rest, ".")
	if entries := t.node.child(agentEntries); entries != nil {
		for i := range entries.fields {
			if f := &entries.fields[i]; normal(f.key) == id {
				return &target{node: f.value, key: f, holder: entries, steps: []any{"agents", agentEntries, f.key}}, after
			}
		}
	}
	listed := t.node.get(agentList)
	if listed == nil || listed.value.kind != list {
		return nil, ""
	}
	for i, item := range listed.value.items {
		if given := item.get("id"); given != nil && normal(given.value.text) == id {
			return &target{node: item, steps: []any{"agents", agentList, i}}, after
		}
	}
	return nil, ""
}

// longest returns the field whose key is the longest prefix of a path, and the rest of the path.
func (n *node) longest(path string) (found *field, rest string, ok bool) {
	if n.kind != mapping {
		return nil, "", false
	}
	for i := range n.fields {
		f := &n.fields[i]
		after, matches := strings.CutPrefix(path, f.key)
		if !matches || after != "" && after[0] != '.' && after[0] != '[' || found != nil && len(found.key) >= len(f.key) {
			continue
		}
		found, rest, ok = f, strings.TrimPrefix(after, "."), true
	}
	return found, rest, ok
}

// item reads an index such as [3] at the beginning of a path.
func (n *node) item(path string) (index int, rest string, ok bool) {
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

// expect returns the tree as it should be after the edit.
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
