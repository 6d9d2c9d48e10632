package hazard

import (
	"iter"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// maxExpanded is how many URLs a pattern of URLs may stand for.
const maxExpanded = 256

// fileNames yields the paths that a text with a file: URL may mean, of every URL that a pattern
// stands for: programs differ in whether the part between // and the next / is a host, and in whether
// a query is part of the name.
func fileNames(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !strings.Contains(strings.ToLower(text), "file:") {
			return
		}
		urls, _ := expanded(text)
		for _, one := range urls {
			for _, name := range namesOf(one) {
				decoded, err := url.PathUnescape(name)
				if !yield(name) || err == nil && decoded != name && !yield(decoded) {
					return
				}
			}
		}
	}
}

// namesOf are the paths behind file: in a text, with and without a host, and with and without a
// query.
func namesOf(text string) (names []string) {
	at := strings.Index(strings.ToLower(text), "file:")
	if at < 0 {
		return nil
	}
	rest := text[at+len("file:"):]
	paths := []string{rest}
	if behind, ok := strings.CutPrefix(rest, "//"); ok {
		paths = []string{"/" + strings.TrimLeft(behind, "/")}
		if host, path, ok := strings.Cut(behind, "/"); ok && host != "" {
			paths = []string{"/" + path, paths[0]}
		}
	}
	for _, path := range paths {
		relative := strings.TrimLeft(path, "/")
		names = append(names, path, path[:len(path)-len(relative)]+before(relative, "?#"))
	}
	return names
}

// before is the text before the first of some characters.
func before(text, any string) string {
	if at := strings.IndexAny(text, any); at >= 0 {
		return text[:at]
	}
	return text
}

// expanded are the URLs that a pattern as curl reads it stands for: {a,b}, [a-z], [1-9] and
// [01-99:2]. There is one for a text without a pattern. It is not complete if there are too many.
func expanded(text string) (list []string, complete bool) {
	list = []string{""}
	if !strings.Contains(text, ":") || !strings.ContainsAny(text, "{[") {
		return []string{text}, true
	}
	for text != "" {
		choices, rest := choice(text)
		if len(list)*len(choices) > maxExpanded {
			return list, false
		}
		var longer []string
		for _, begun := range list {
			for _, one := range choices {
				longer = append(longer, begun+one)
			}
		}
		list, text = longer, rest
	}
	return list, true
}

// choice is what a text may begin with, and what follows.
func choice(text string) (choices []string, rest string) {
	switch end := strings.IndexAny(text[1:], "}]") + 1; {
	case text[0] == '{' && end > 0 && text[end] == '}':
		return strings.Split(text[1:end], ","), text[end+1:]
	case text[0] == '[' && end > 0 && text[end] == ']':
		if choices := ranged(text[1:end]); choices != nil {
			return choices, text[end+1:]
		}
	}
	end := strings.IndexAny(text[1:], "{[") + 1
	if end == 0 {
		end = len(text)
	}
	return []string{text[:end]}, text[end:]
}

// ranged are the members of a range; nil if the text is none.
func ranged(text string) (members []string) {
	found := regexp.MustCompile(`^(?:([a-zA-Z])-([a-zA-Z])|([0-9]{1,18})-([0-9]{1,18}))(?::([0-9]{1,9}))?$`).FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	step, err := strconv.ParseUint(found[5], 10, 32)
	if err != nil || step == 0 {
		step = 1
	}
	if found[1] != "" {
		for c := uint64(found[1][0]); c <= uint64(found[2][0]); c += step {
			members = append(members, string(rune(c)))
		}
		return members
	}
	first, _ := strconv.ParseUint(found[3], 10, 64)
	last, _ := strconv.ParseUint(found[4], 10, 64)
	for n := first; n <= last && len(members) <= maxExpanded; n += step {
		digits := strconv.FormatUint(n, 10)
		members = append(members, strings.Repeat("0", max(0, len(found[3])-len(digits)))+digits)
	}
	return members
}
