package decisionlog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gavel/internal/redact"
)

const (
	// maxNodes and maxDepth limit the tool's parameters; maxName limits the name of a member,
	// in bytes.
	maxNodes, maxDepth, maxName = 2000, 32, 256
	// maxFactMembers is the smallest limit for the members of an object. No object of the facts
	// has more, so they keep all of theirs.
	maxFactMembers = 40
	// maxWindow limits the part of a text that is searched for secrets.
	maxWindow = 2 * maxText
	// maxTruncations limits how many truncations of a line are listed.
	maxTruncations = 32
	// omitted stands for the rest of a text or container.
	omitted = "…"
)

// truncation describes what a line leaves out: the end of a text, or members or elements.
type truncation struct {
	path    string // a JSON pointer
	bytes   int    // of the original text
	sha256  string // of the original text; "" for members or elements
	omitted int    // number of members or elements
}

// truncations lists the truncations of a line.
type truncations struct {
	list     []truncation
	unlisted int // number of truncations beyond maxTruncations
}

func (t *truncations) addText(at, text string) {
	sum := sha256.Sum256([]byte(text))
	t.add(truncation{path: at, bytes: len(text), sha256: hex.EncodeToString(sum[:])})
}

func (t *truncations) add(one truncation) {
	if t.find(one.path) != nil {
		return // the first entry describes the original
	}
	if len(t.list) == maxTruncations {
		t.unlisted++
		return
	}
	t.list = append(t.list, one)
}

func (t *truncations) find(path string) *truncation {
	for i := range t.list {
		if t.list[i].path == path {
			return &t.list[i]
		}
	}
	return nil
}

// dropRedacted drops truncations of values that were redacted or removed as a whole.
func (t *truncations) dropRedacted(pointers []string) {
	t.list = slices.DeleteFunc(t.list, func(one truncation) bool {
		return slices.ContainsFunc(pointers, func(pointer string) bool {
			return one.path == pointer || strings.HasPrefix(one.path, pointer+"/")
		})
	})
}

// toJSON returns the member "truncated" of a line.
func (t *truncations) toJSON() []any {
	out := make([]any, 0, len(t.list)+1)
	for _, trunc := range t.list {
		entry := map[string]any{"path": trunc.path}
		if trunc.sha256 != "" {
			entry["bytes"], entry["sha256"] = trunc.bytes, trunc.sha256
		} else {
			entry["left"] = trunc.omitted
		}
		out = append(out, entry)
	}
	if t.unlisted > 0 {
		out = append(out, map[string]any{"path": omitted, "left": t.unlisted})
	}
	return out
}

// copier copies a tool's parameters within limits.
type copier struct {
	truncations *truncations
	nodesLeft   int      // how many members and elements may still be copied
	path        []string // names and indexes of the current location
}

// copyParams returns a limited copy of a tool's parameters, which are at the pointer at. A caller
// in this process may pass values of any type; they are converted to JSON types.
func copyParams(params map[string]any, at string, truncations *truncations) (map[string]any, error) {
	c := &copier{truncations: truncations, nodesLeft: maxNodes, path: []string{at}}
	copied, err := c.value(params)
	if err != nil {
		return nil, err
	}
	object, _ := copied.(map[string]any)
	return object, nil
}

func (c *copier) value(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, float64, json.Number:
		return v, nil
	case string:
		if len(v) <= maxWindow {
			return v, nil
		}
		c.truncations.addText(c.pointer(), v)
		return prefix(v, maxWindow), nil
	case map[string]any:
		return c.object(v)
	case []any:
		return c.array(v)
	default:
		plain, err := toJSONTypes(v)
		if err != nil {
			return nil, err
		}
		return c.value(plain)
	}
}

func (c *copier) object(v map[string]any) (any, error) {
	if len(v) > 0 && len(c.path) > maxDepth {
		c.noteOmitted(len(v))
		return omitted, nil
	}
	names := make([]string, 0, min(len(v), c.nodesLeft+1))
	if len(v) > c.nodesLeft { // sort, so that it always keeps the same members
		names = sortedKeys(v)[:c.nodesLeft]
		c.noteOmitted(len(v) - c.nodesLeft)
	} else {
		for name := range v {
			names = append(names, name)
		}
	}
	c.nodesLeft -= len(names)
	out := make(map[string]any, len(names))
	for _, name := range names {
		short := name
		if len(name) > maxName {
			sum := sha256.Sum256([]byte(name))
			short = fmt.Sprintf("%s… (%d bytes, %x)", prefix(name, maxName/2), len(name), sum[:8])
		}
		if redact.Content(redact.Plain(name)) {
			out[short] = redacted
			continue
		}
		c.path = append(c.path, short)
		child, err := c.value(v[name])
		c.path = c.path[:len(c.path)-1]
		if err != nil {
			return nil, err
		}
		out[short] = child
	}
	return out, nil
}

func (c *copier) array(v []any) (any, error) {
	if len(v) > 0 && len(c.path) > maxDepth {
		c.noteOmitted(len(v))
		return omitted, nil
	}
	kept := v[:min(len(v), c.nodesLeft)]
	if len(kept) < len(v) {
		c.noteOmitted(len(v) - len(kept))
	}
	c.nodesLeft -= len(kept)
	out := make([]any, len(kept))
	for i, child := range kept {
		c.path = append(c.path, strconv.Itoa(i))
		var err error
		out[i], err = c.value(child)
		c.path = c.path[:len(c.path)-1]
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *copier) noteOmitted(n int) { c.truncations.add(truncation{path: c.pointer(), omitted: n}) }

func (c *copier) pointer() string {
	var out strings.Builder
	out.WriteString(c.path[0])
	for _, token := range c.path[1:] {
		out.WriteString("/" + escape(token))
	}
	return out.String()
}

// toJSONTypes returns a copy of v made of maps, slices, strings, bools, nil and json.Number.
func toJSONTypes(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var out any
	if err := decoder.Decode(&out); err != nil {
		return nil, err
	}
	return out, nil
}

// limits for shorten.
type limits struct {
	textBytes int // of a text
	elements  int // of an array, and members of an object; 0 means no limit
}

// shorten cuts every text and container in node to the limits, and records the truncations.
func shorten(node any, at string, lim limits, truncations *truncations) any {
	switch node := node.(type) {
	case string:
		if len(node) <= lim.textBytes {
			return node
		}
		if truncations.find(at) == nil {
			truncations.addText(at, node)
		}
		length := len(node)
		if trunc := truncations.find(at); trunc != nil {
			length = trunc.bytes
		}
		return fmt.Sprintf("%s… (%d bytes)", prefix(strings.TrimSuffix(node, omitted), lim.textBytes), length)
	case map[string]any:
		names := sortedKeys(node)
		if limit := max(lim.elements, maxFactMembers); lim.elements > 0 && len(names) > limit {
			for _, name := range names[limit:] {
				delete(node, name)
			}
			truncations.add(truncation{path: at, omitted: len(names) - limit})
			names = names[:limit]
		}
		for _, name := range names {
			node[name] = shorten(node[name], at+"/"+escape(name), lim, truncations)
		}
	case []any:
		if lim.elements > 0 && len(node) > lim.elements {
			truncations.add(truncation{path: at, omitted: len(node) - lim.elements})
			node = node[:lim.elements]
		}
		for i := range node {
			node[i] = shorten(node[i], at+"/"+strconv.Itoa(i), lim, truncations)
		}
		return node
	}
	return node
}

// prefix returns at most limit bytes of text. It never ends inside a character.
func prefix(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return strings.ToValidUTF8(text[:limit], "\uFFFD")
}
