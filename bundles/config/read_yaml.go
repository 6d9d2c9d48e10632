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

// readYAML reads one YAML document. It refuses anchors, aliases, merge keys and tags, so that each
// line means what it says.
func (b *builder) readYAML(source string) *node {
	document, at, err := decodeYAML(source)
	if err != nil {
		message, fix := err.Error(), "look at this line and the one before it"
		if line, tab := tabLine(source, at.line); tab {
			at, message, fix = location{line, 1}, "the line is indented with a tab, and YAML allows only spaces there", "replace each tab at the beginning of a line with spaces"
		}
		b.problems.add(at, "", message, "", fix)
		return nil
	}
	if document == nil || len(document.Content) == 0 {
		b.problems.add(location{1, 1}, "", "the file is empty", "", "write {} for an empty configuration")
		return nil
	}
	root := b.yaml(document.Content[0], nil, 1)
	if root != nil && root.kind == null {
		b.problems.add(root.location, "", "the file is empty", "", "write {} for an empty configuration")
		return nil
	}
	return root
}

// decodeYAML returns the only document of a text, or nil if there is none. An error comes with its
// location.
func decodeYAML(source string) (document *yaml.Node, at location, err error) {
	defer func() {
		if v := recover(); v != nil {
			document, at, err = nil, location{1, 1}, fmt.Errorf("the text cannot be read: %v", v)
		}
	}()
	decoder := yaml.NewDecoder(strings.NewReader(source))
	var first, second yaml.Node
	if err := decoder.Decode(&first); errors.Is(err, io.EOF) {
		return nil, location{}, nil
	} else if err != nil {
		message, at := yamlError(err)
		at.line = max(at.line, firstWrongLine(source, message))
		return nil, at, errors.New(message)
	}
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
		return &first, location{}, nil
	case err != nil:
		message, at := yamlError(err)
		return nil, at, errors.New(message)
	default:
		return nil, location{second.Line, max(second.Column, 1)},
			errors.New("the file has several YAML documents; a configuration must be one")
	}
}

// tabLine returns the line that a tab in its indentation makes invalid. An error of the YAML reader
// names that line or the one before or after.
func tabLine(source string, line int) (int, bool) {
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

// maxLines limits the texts in which the line of an error is looked for: each try reads them from the start.
const maxLines = 400

// firstWrongLine returns the number of the first line up to which the text has the same error as the whole, or
// 0. The YAML reader often names the beginning of the block that contains the error.
func firstWrongLine(source, message string) int {
	lines := strings.SplitAfter(source, "\n")
	if len(lines) > maxLines {
		return 0
	}
	for i := range lines {
		var document yaml.Node
		err := yaml.Unmarshal([]byte(strings.Join(lines[:i+1], "")), &document)
		if err == nil {
			continue
		}
		if found, _ := yamlError(err); found == message {
			return i + 1
		}
	}
	return 0
}

// yamlError splits an error of the YAML reader into message and location.
func yamlError(err error) (string, location) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	parts := regexp.MustCompile(`^line ([0-9]+): (.*)$`).FindStringSubmatch(message)
	if parts == nil {
		return "the text is not YAML: " + message, location{1, 1}
	}
	line, _ := strconv.Atoi(parts[1]) // 0 if there are too many digits
	return "the text is not YAML: " + parts[2], location{max(line, 1), 1}
}

// yaml converts a YAML node. It returns nil after adding a problem.
func (b *builder) yaml(y *yaml.Node, path *keyPath, depth int) *node {
	at := location{y.Line, y.Column}
	if !b.enter(at, path, depth) || !b.isPlain(y, at, path) {
		return nil
	}
	switch y.Kind {
	case yaml.MappingNode:
		return b.yamlMapping(y, path, depth)
	case yaml.SequenceNode:
		n := &node{kind: list, location: at}
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

// isPlain reports whether a node has no anchor, alias or tag. Otherwise it adds a problem.
func (b *builder) isPlain(y *yaml.Node, at location, path *keyPath) bool {
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
	b.problems.add(at, path.String(), message, "", fix)
	return false
}

func (b *builder) yamlMapping(y *yaml.Node, path *keyPath, depth int) *node {
	n, seen := &node{kind: mapping, location: location{y.Line, y.Column}}, map[string]location{}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, where := y.Content[i], location{y.Content[i].Line, y.Content[i].Column}
		if !b.isPlain(key, where, path) {
			continue
		}
		switch tag := key.ShortTag(); {
		case tag == "!!merge":
			b.problems.add(where, path.String(), "the merge key << is not accepted", "", "write the keys out")
			continue
		case key.Kind != yaml.ScalarNode || (tag != "!!str" && tag != "!!timestamp"):
			b.problems.add(where, path.String(), "a key that is not a string", "", "put the key in quotes")
			continue
		}
		below := path.field(key.Value)
		b.addField(n, seen, field{key: key.Value, location: where, value: b.yaml(y.Content[i+1], below, depth+1)}, below)
	}
	return n
}

func (b *builder) yamlScalar(y *yaml.Node, at location, path *keyPath) *node {
	switch y.ShortTag() {
	case "!!str", "!!timestamp", "!!merge":
		return &node{kind: text, location: at, text: y.Value}
	case "!!null":
		return &node{kind: null, location: at}
	case "!!bool":
		return &node{kind: boolean, location: at, truth: strings.EqualFold(y.Value, "true")}
	case "!!int", "!!float":
		return b.number(at, path, y.Value)
	default:
		b.problems.add(at, path.String(), fmt.Sprintf("%s is not a value that a configuration can hold", quote(y.Value)),
			"", "put it in quotes")
		return nil
	}
}
