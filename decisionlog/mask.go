package decisionlog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gavel"
)

// The operations of a mask rule. OPA has the first two; keep restores text that was hidden
// because it looked like a secret.
const (
	opRemove = "remove"
	opUpsert = "upsert"
	opKeep   = "keep"
)

// changes collects the JSON pointers of what was changed.
type changes struct {
	erased, masked []string
	kept           map[string]any // what looked like a secret, by pointer
}

// apply changes the document according to the rules, in order. A malformed rule is an error,
// after which the document must not be used.
//
// Rules that match nothing do nothing, and upsert creates missing objects, as in OPA. If
// another value blocks the path (a rule for /input/tool/params/a/b, and a is a string), OPA
// skips the rule, so whoever writes the call could avoid masking; here the rule applies to
// the blocking value.
func (c *changes) apply(doc map[string]any, rules []gavel.MaskRule) error {
	for i, rule := range rules {
		tokens, err := parsePointer(rule.Path)
		if err != nil {
			return fmt.Errorf("mask rule %d: %w", i, err)
		}
		switch rule.Op {
		case opRemove:
			if at, found := find(doc, tokens, false); found {
				at.remove()
				c.erased = append(c.erased, at.pointer())
			}
		case opUpsert:
			value, err := tree(rule.Value) // the policy's own value must not change
			if err != nil {
				return fmt.Errorf("mask rule %d (%s): encode the value: %w", i, rule.Path, err)
			}
			if at, found := find(doc, tokens, true); found {
				at.set(value)
				c.masked = append(c.masked, at.pointer())
			}
		case opKeep:
			c.keep(doc, tokens)
		default:
			return fmt.Errorf("mask rule %d (%s): unknown op %q: want %s, %s or %s", i, rule.Path, rule.Op, opRemove, opUpsert, opKeep)
		}
	}
	return nil
}

// keep restores text that looked like a secret, at a location and below it.
func (c *changes) keep(doc map[string]any, tokens []string) {
	under := place{tokens: tokens}.pointer()
	for pointer, was := range c.kept {
		if pointer != under && !strings.HasPrefix(pointer, under+"/") {
			continue
		}
		path, err := parsePointer(pointer)
		if err != nil { // not reached: it is ours
			continue
		}
		if at, found := find(doc, path, false); found && at.pointer() == pointer {
			at.set(was)
			c.masked = slices.DeleteFunc(c.masked, func(masked string) bool { return masked == pointer })
		}
	}
}

// place is the location that a rule applies to.
type place struct {
	tokens []string
	set    func(any)
	remove func()
}

func (p place) pointer() string {
	var out strings.Builder
	for _, token := range p.tokens {
		out.WriteString("/" + escape(token))
	}
	return out.String()
}

// find walks to the location that the tokens name, or to the value that blocks the path. With
// create it creates missing objects and accepts a missing member.
func find(doc map[string]any, tokens []string, create bool) (at place, found bool) {
	var node any = doc
	for i, token := range tokens {
		parent := at
		at = place{tokens: tokens[:i+1]}
		switch container := node.(type) {
		case map[string]any:
			child, ok := container[token]
			if !ok && !create {
				return place{}, false
			}
			at.set = func(v any) { container[token] = v }
			at.remove = func() { delete(container, token) }
			node = child
		case []any:
			index, number := parseIndex(token)
			if !number {
				return parent, true
			}
			if index >= len(container) {
				return place{}, false
			}
			at.set = func(v any) { container[index] = v }
			at.remove = func() { parent.set(slices.Delete(container, index, index+1)) }
			node = container[index]
		default:
			return parent, true
		}
		if node == nil && i < len(tokens)-1 {
			if !create {
				return place{}, false
			}
			node = map[string]any{}
			at.set(node)
		}
	}
	return at, true
}

// parsePointer takes a JSON pointer (RFC 6901) below /input or /result apart.
func parsePointer(path string) ([]string, error) {
	if !strings.HasPrefix(path, "/") {
		return nil, fmt.Errorf("the path %q is not a JSON pointer: start it with /input/ or /result/", path)
	}
	tokens := strings.Split(path[1:], "/")
	for i, token := range tokens {
		name, ok := unescape(token)
		if !ok {
			return nil, fmt.Errorf("the path %q has a stray ~: write ~0 for ~ and ~1 for /", path)
		}
		tokens[i] = name
	}
	if tokens[0] != "input" && tokens[0] != "result" {
		return nil, fmt.Errorf("the path %q names the member %q: only /input and /result may be masked", path, tokens[0])
	}
	return tokens, nil
}

// parseIndex reads an array index: digits without a leading zero.
func parseIndex(token string) (int, bool) {
	index, err := strconv.ParseUint(token, 10, 31)
	if err != nil || strconv.FormatUint(index, 10) != token {
		return 0, false
	}
	return int(index), true
}

func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

func unescape(token string) (string, bool) {
	for rest := token; ; {
		_, after, found := strings.Cut(rest, "~")
		if !found {
			break
		}
		if after == "" || (after[0] != '0' && after[0] != '1') {
			return "", false
		}
		rest = after[1:]
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"), true
}
