package decisionlog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gavel"
)

// The operations of a mask rule. OPA has the first two. With "keep", a policy restores text that
// was redacted because it looked like a secret.
const (
	opRemove = "remove"
	opUpsert = "upsert"
	opKeep   = "keep"
)

// maskResult collects the JSON pointers of erased and masked values.
type maskResult struct {
	erased, masked []string
	originals      map[string]any // by pointer, before they were redacted as secrets
}

// apply applies the rules to the document in order. A malformed rule is an error, after which the
// document must not be used.
//
// As in OPA, a rule that matches nothing has no effect, and upsert creates missing objects. There
// is one difference: if the path of a rule leads through a value that is not a container, OPA skips
// the rule. The author of a call could use that to avoid masking. (The rule is for
// /input/tool/params/a/b, and the call has a string a.) Here the rule applies to that value.
func (r *maskResult) apply(doc map[string]any, rules []gavel.MaskRule) error {
	for i, rule := range rules {
		tokens, err := parsePointer(rule.Path)
		if err != nil {
			return fmt.Errorf("mask rule %d: %w", i, err)
		}
		switch rule.Op {
		case opRemove:
			if loc, found := find(doc, tokens, false); found {
				loc.remove()
				r.erased = append(r.erased, loc.pointer())
			}
		case opUpsert:
			value, err := toJSONTypes(rule.Value) // the policy's own value must not change
			if err != nil {
				return fmt.Errorf("mask rule %d (%s): encode the value: %w", i, rule.Path, err)
			}
			if loc, found := find(doc, tokens, true); found {
				loc.set(value)
				r.masked = append(r.masked, loc.pointer())
			}
		case opKeep:
			r.keep(doc, tokens)
		default:
			return fmt.Errorf("mask rule %d (%s): unknown op %q: want %s, %s or %s", i, rule.Path, rule.Op, opRemove, opUpsert, opKeep)
		}
	}
	return nil
}

// keep restores the originals at a location and below it.
func (r *maskResult) keep(doc map[string]any, tokens []string) {
	kept := location{tokens: tokens}.pointer()
	for pointer, original := range r.originals {
		if pointer != kept && !strings.HasPrefix(pointer, kept+"/") {
			continue
		}
		path, err := parsePointer(pointer)
		if err != nil { // not reached: the redactor wrote this pointer
			continue
		}
		if loc, found := find(doc, path, false); found && loc.pointer() == pointer {
			loc.set(original)
			r.masked = slices.DeleteFunc(r.masked, func(masked string) bool { return masked == pointer })
		}
	}
}

// location is a value in a document that a rule applies to.
type location struct {
	tokens []string
	set    func(any)
	remove func()
}

func (l location) pointer() string {
	var out strings.Builder
	for _, token := range l.tokens {
		out.WriteString("/" + escape(token))
	}
	return out.String()
}

// find returns the location with the path of the tokens, or the first value on the way that is not
// a container. With create it creates missing objects, and also finds a missing member.
func find(doc map[string]any, tokens []string, create bool) (loc location, found bool) {
	var node any = doc
	for i, token := range tokens {
		parent := loc
		loc = location{tokens: tokens[:i+1]}
		switch container := node.(type) {
		case map[string]any:
			child, ok := container[token]
			if !ok && !create {
				return location{}, false
			}
			loc.set = func(v any) { container[token] = v }
			loc.remove = func() { delete(container, token) }
			node = child
		case []any:
			index, isIndex := parseIndex(token)
			if !isIndex {
				return parent, true
			}
			if index >= len(container) {
				return location{}, false
			}
			loc.set = func(v any) { container[index] = v }
			loc.remove = func() { parent.set(slices.Delete(container, index, index+1)) }
			node = container[index]
		default:
			return parent, true
		}
		if node == nil && i < len(tokens)-1 {
			if !create {
				return location{}, false
			}
			node = map[string]any{}
			loc.set(node)
		}
	}
	return loc, true
}

// parsePointer splits a JSON pointer (RFC 6901) into its tokens. Only /input, /result and paths
// below them may be masked.
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
