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
	// maxNodes and maxDepth limit how much of a tool's parameters is kept; maxName limits a
	// member's name, in bytes.
	maxNodes, maxDepth, maxName = 2000, 32, 256
	// ownMembers is how many members an object keeps: no object of the facts has more.
	ownMembers = 40
	// maxWindow is how much of a text is searched for secrets if maxText of it is kept.
	maxWindow = 2 * maxText
	// maxCuts limits how many cuts of a line are listed.
	maxCuts = 32
	// omitted replaces members and elements that are left out.
	omitted = "…"
)

// cut describes what a line leaves out: the end of a text, or members and elements.
type cut struct {
	Path   string `json:"path"` // a JSON pointer
	Bytes  int    `json:"bytes,omitempty"`
	SHA256 string `json:"sha256,omitempty"` // of the text as it was given
	Left   int    `json:"left,omitempty"`   // members or elements that are left out
}

// cuts are the parts left out, by location.
type cuts struct {
	list []cut
	more int // that are not listed
}

func (c *cuts) text(at, text string) {
	sum := sha256.Sum256([]byte(text))
	c.add(cut{Path: at, Bytes: len(text), SHA256: hex.EncodeToString(sum[:])})
}

func (c *cuts) add(one cut) {
	if c.at(one.Path) != nil {
		return // it was cut before
	}
	if len(c.list) == maxCuts {
		c.more++
		return
	}
	c.list = append(c.list, one)
}

func (c *cuts) at(path string) *cut {
	for i := range c.list {
		if c.list[i].Path == path {
			return &c.list[i]
		}
	}
	return nil
}

// hidden removes notes about texts that were hidden as a whole.
func (c *cuts) hidden(pointers []string) {
	c.list = slices.DeleteFunc(c.list, func(one cut) bool {
		return slices.ContainsFunc(pointers, func(pointer string) bool {
			return one.Path == pointer || strings.HasPrefix(one.Path, pointer+"/")
		})
	})
}

// document is the cuts in JSON types.
func (c *cuts) document() []any {
	out := make([]any, 0, len(c.list)+1)
	for _, one := range c.list {
		entry := map[string]any{"path": one.Path}
		if one.SHA256 != "" {
			entry["bytes"], entry["sha256"] = one.Bytes, one.SHA256
		} else {
			entry["left"] = one.Left
		}
		out = append(out, entry)
	}
	if c.more > 0 {
		out = append(out, map[string]any{"path": omitted, "left": c.more})
	}
	return out
}

// copier copies a tool's parameters within limits, whatever they are.
type copier struct {
	cuts  *cuts
	nodes int      // that may still be copied
	path  []string // names and indexes of the current location
}

// parameters is a limited copy of a tool's parameters, below at. Those of a request have JSON
// types; other values from a caller in this process are converted.
func parameters(params map[string]any, at string, cuts *cuts) (map[string]any, error) {
	c := &copier{cuts: cuts, nodes: maxNodes, path: []string{at}}
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
		c.cuts.text(c.pointer(), v)
		return prefix(v, maxWindow), nil
	case map[string]any:
		return c.object(v)
	case []any:
		return c.array(v)
	default:
		plain, err := tree(v)
		if err != nil {
			return nil, err
		}
		return c.value(plain)
	}
}

func (c *copier) object(v map[string]any) (any, error) {
	if len(v) > 0 && len(c.path) > maxDepth {
		c.left(len(v))
		return omitted, nil
	}
	names := make([]string, 0, min(len(v), c.nodes+1))
	if len(v) > c.nodes { // sorted, so that the same members are always kept
		names = sorted(v)[:c.nodes]
		c.left(len(v) - c.nodes)
	} else {
		for name := range v {
			names = append(names, name)
		}
	}
	c.nodes -= len(names)
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
		c.left(len(v))
		return omitted, nil
	}
	kept := v[:min(len(v), c.nodes)]
	if len(kept) < len(v) {
		c.left(len(v) - len(kept))
	}
	c.nodes -= len(kept)
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

func (c *copier) left(n int) { c.cuts.add(cut{Path: c.pointer(), Left: n}) }

func (c *copier) pointer() string {
	var out strings.Builder
	out.WriteString(c.path[0])
	for _, token := range c.path[1:] {
		out.WriteString("/" + escape(token))
	}
	return out.String()
}

// tree is a copy of v in JSON types; numbers keep their digits.
func tree(v any) (any, error) {
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

// limits are how much of a document stays.
type limits struct {
	text int // bytes of a text
	list int // elements of a list, and members of an object; 0 is all
}

// shorten cuts everything below node, and records what. Member names stay unchanged.
func shorten(node any, at string, most limits, cuts *cuts) any {
	switch node := node.(type) {
	case string:
		if len(node) <= most.text {
			return node
		}
		if cuts.at(at) == nil {
			cuts.text(at, node)
		}
		length := len(node)
		if was := cuts.at(at); was != nil {
			length = was.Bytes
		}
		return fmt.Sprintf("%s… (%d bytes)", prefix(strings.TrimSuffix(node, omitted), most.text), length)
	case map[string]any:
		names := sorted(node)
		if limit := max(most.list, ownMembers); most.list > 0 && len(names) > limit {
			for _, name := range names[limit:] {
				delete(node, name)
			}
			cuts.add(cut{Path: at, Left: len(names) - limit})
			names = names[:limit]
		}
		for _, name := range names {
			node[name] = shorten(node[name], at+"/"+escape(name), most, cuts)
		}
	case []any:
		if most.list > 0 && len(node) > most.list {
			cuts.add(cut{Path: at, Left: len(node) - most.list})
			node = node[:most.list]
		}
		for i := range node {
			node[i] = shorten(node[i], at+"/"+strconv.Itoa(i), most, cuts)
		}
		return node
	}
	return node
}

// prefix is at most limit bytes of text, and never ends inside a character.
func prefix(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return strings.ToValidUTF8(text[:limit], "\uFFFD")
}
