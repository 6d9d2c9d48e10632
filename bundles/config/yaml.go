package config

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readYAML reads one YAML document. Anchors, aliases, merge keys and tags are refused, so
// that each line means what it says.
func (b *builder) readYAML(source string) *node {
	document, at, err := decodeYAML(source)
	if err != nil {
		message, fix := err.Error(), "look at this line and the one before it"
		if line, tab := tabbed(source, at.line); tab {
			at, message, fix = place{line, 1}, "the line is indented with a tab, and YAML allows only spaces there", "replace each tab at the beginning of a line with spaces"
		}
		b.found.add(at, "", message, "", fix)
		return nil
	}
	if document == nil || len(document.Content) == 0 {
		b.found.add(place{1, 1}, "", "the file is empty", "", "write {} for an empty configuration")
		return nil
	}
	root := b.yaml(document.Content[0], nil, 1)
	if root != nil && root.kind == null {
		b.found.add(root.place, "", "the file is empty", "", "write {} for an empty configuration")
		return nil
	}
	return root
}

// decodeYAML returns the one document of a text, nil when there is none, or an
// error and its place.
func decodeYAML(source string) (document *yaml.Node, at place, err error) {
	defer func() {
		if v := recover(); v != nil {
			document, at, err = nil, place{1, 1}, fmt.Errorf("the text cannot be read: %v", v)
		}
	}()
	decoder := yaml.NewDecoder(strings.NewReader(source))
	var first, second yaml.Node
	if err := decoder.Decode(&first); errors.Is(err, io.EOF) {
		return nil, place{}, nil
	} else if err != nil {
		message, at := yamlError(err)
		return nil, at, errors.New(message)
	}
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
		return &first, place{}, nil
	case err != nil:
		message, at := yamlError(err)
		return nil, at, errors.New(message)
	default:
		return nil, place{second.Line, max(second.Column, 1)},
			errors.New("the file has several YAML documents; a configuration must be one")
	}
}

// tabbed returns the line that an error of the YAML reader is about, when a tab in its
// indentation is the cause: the line that it names, or one next to it.
func tabbed(source string, line int) (int, bool) {
	lines := strings.Split(source, "\n")
	for _, n := range []int{line, line + 1, line - 1} {
		if n < 1 || n > len(lines) {
			continue
		}
		text := lines[n-1]
		if indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]; strings.Contains(indent, "\t") {
			return n, true
		}
	}
	return 0, false
}

// yamlError extracts the line from a YAML reader's error.
func yamlError(err error) (string, place) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	parts := regexp.MustCompile(`^line ([0-9]+): (.*)$`).FindStringSubmatch(message)
	if parts == nil {
		return "the text is not YAML: " + message, place{1, 1}
	}
	line, _ := strconv.Atoi(parts[1]) // digits only; 0 when there are too many
	return "the text is not YAML: " + parts[2], place{max(line, 1), 1}
}

// yaml returns the value of a YAML node, or nil after adding a problem.
func (b *builder) yaml(y *yaml.Node, path *trail, depth int) *node {
	at := place{y.Line, y.Column}
	if !b.enter(at, path, depth) || !b.plain(y, at, path) {
		return nil
	}
	switch y.Kind {
	case yaml.MappingNode:
		return b.yamlMapping(y, path, depth)
	case yaml.SequenceNode:
		n := &node{kind: list, place: at}
		for i, content := range y.Content {
			if item := b.yaml(content, path.item(i), depth+1); item != nil {
				n.items = append(n.items, item)
			}
		}
		return n
	default:
		return b.yamlScalar(y, at, path)
	}
}

// plain says whether a node is what it looks like; otherwise it adds a problem.
func (b *builder) plain(y *yaml.Node, at place, path *trail) bool {
	message, fix := "", ""
	switch {
	case y.Kind == yaml.AliasNode:
		message, fix = fmt.Sprintf("the alias *%s is not supported", y.Value), "write the value out"
	case y.Anchor != "":
		message, fix = fmt.Sprintf("the anchor &%s is not accepted", y.Anchor), "remove the anchor, and write values out"
	case y.Style&yaml.TaggedStyle != 0:
		message, fix = fmt.Sprintf("the tag %s is not accepted", y.Tag), "remove the tag"
	default:
		return true
	}
	b.found.add(at, path.String(), message, "", fix)
	return false
}

func (b *builder) yamlMapping(y *yaml.Node, path *trail, depth int) *node {
	n, seen := &node{kind: mapping, place: place{y.Line, y.Column}}, map[string]place{}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, where := y.Content[i], place{y.Content[i].Line, y.Content[i].Column}
		if !b.plain(key, where, path) {
			continue
		}
		switch tag := key.ShortTag(); {
		case tag == "!!merge":
			b.found.add(where, path.String(), "the merge key << is not accepted", "", "write the keys out")
			continue
		case key.Kind != yaml.ScalarNode || (tag != "!!str" && tag != "!!timestamp"):
			b.found.add(where, path.String(), "a key that is not a string", "", "put the key in quotes")
			continue
		}
		below := path.field(key.Value)
		b.put(n, seen, field{key: key.Value, place: where, value: b.yaml(y.Content[i+1], below, depth+1)}, below)
	}
	return n
}

func (b *builder) yamlScalar(y *yaml.Node, at place, path *trail) *node {
	switch y.ShortTag() {
	case "!!str", "!!timestamp", "!!merge":
		return &node{kind: text, place: at, text: y.Value}
	case "!!null":
		return &node{kind: null, place: at}
	case "!!bool":
		return &node{kind: boolean, place: at, truth: strings.EqualFold(y.Value, "true")}
	case "!!int", "!!float":
		return b.numeral(at, path, y.Value)
	default:
		b.found.add(at, path.String(), fmt.Sprintf("%s is not a value that a configuration can hold", shorten(y.Value)),
			"", "put it in quotes")
		return nil
	}
}
