package hazard

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// namePatterns are patterns of names. Most are a literal name, a prefix or a suffix; those are indexed
// by their first and their last byte.
type namePatterns struct {
	exact          map[string]bool
	prefix, suffix [256][]string
	patterns       []pattern
	all            []string // as written, including patterns of directories
}

// pattern is a path.Match pattern, with the bytes that every matching name contains.
type pattern struct {
	text  string
	needs bytesOf
}

// patternOf prepares a pattern.
func patternOf(text string) pattern {
	p := pattern{text: text}
	if !strings.ContainsAny(text, `[\`) { // otherwise the required bytes are not obvious
		p.needs = bytesIn(strings.NewReplacer("*", "", "?", "").Replace(text))
	}
	return p
}

// bytesOf is the set of bytes in a text, as a bit set of 64 that several bytes share.
type bytesOf uint64

// bytesIn returns the set of the bytes in a text.
func bytesIn(text string) (set bytesOf) {
	for i := range len(text) {
		set |= 1 << (text[i] % 64)
	}
	return set
}

// add adds patterns, or returns an error for an invalid one.
func (n *namePatterns) add(patterns []string) error {
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("pattern %q: %w", pattern, err)
		}
		end, ok := strings.CutPrefix(pattern, "*")
		beginning, ok2 := strings.CutSuffix(pattern, "*")
		switch {
		case !strings.ContainsAny(pattern, `*?[\`):
			n.exact[pattern] = true
		case ok && end != "" && !strings.ContainsAny(end, `*?[\`):
			last := end[len(end)-1]
			n.suffix[last] = append(n.suffix[last], end)
		case ok2 && beginning != "" && !strings.ContainsAny(beginning, `*?[\`):
			n.prefix[beginning[0]] = append(n.prefix[beginning[0]], beginning)
		default:
			n.patterns = append(n.patterns, patternOf(pattern))
		}
	}
	return nil
}

// has reports whether a name matches one of the patterns.
func (n *namePatterns) has(name string) bool {
	if name == "" {
		return false
	}
	has := bytesIn(name)
	return n.exact[name] ||
		slices.ContainsFunc(n.suffix[name[len(name)-1]], func(end string) bool { return strings.HasSuffix(name, end) }) ||
		slices.ContainsFunc(n.prefix[name[0]], func(beginning string) bool { return strings.HasPrefix(name, beginning) }) ||
		slices.ContainsFunc(n.patterns, func(p pattern) bool {
			if p.needs&^has != 0 {
				return false
			}
			matched, err := path.Match(p.text, name)
			return matched || err != nil
		})
}

// sampleNames returns names that patterns match: with nothing, and with a letter, in place of each wildcard.
func sampleNames(patterns []string) (list []string) {
	for _, pattern := range patterns {
		list = append(list, strings.NewReplacer("*", "", "?", "x").Replace(pattern), strings.NewReplacer("*", "x", "?", "x").Replace(pattern))
	}
	return list
}
