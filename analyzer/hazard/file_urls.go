package hazard

import (
	"iter"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// maxExpanded limits the URLs to which a URL pattern is expanded.
const maxExpanded = 256

// fileURLPaths yields the paths that a text with a file: URL may mean, for every URL that a pattern expands
// to. Programs differ in whether the part between // and the next / is a host, and in whether a query
// is part of the name.
func fileURLPaths(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !strings.Contains(strings.ToLower(text), "file:") {
			return
		}
		urls, _ := expandURLs(text)
		for _, item := range urls {
			for _, name := range pathsOfFileURL(item) {
				decoded, err := url.PathUnescape(name)
				if !yield(name) || err == nil && decoded != name && !yield(decoded) {
					return
				}
			}
		}
	}
}

// pathsOfFileURL returns the paths after file: in a text, with and without a host, and with and without a query.
func pathsOfFileURL(text string) (names []string) {
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
		names = append(names, path, path[:len(path)-len(relative)]+textBefore(relative, "?#"))
	}
	return names
}

// textBefore returns the text before the first of some characters.
func textBefore(text, any string) string {
	if at := strings.IndexAny(text, any); at >= 0 {
		return text[:at]
	}
	return text
}

// expandURLs returns the URLs to which curl expands a pattern: {a,b}, [a-z], [1-9] and [01-99:2]. For a
// text without a pattern it returns the text. It is not complete if there are too many.
func expandURLs(text string) (list []string, complete bool) {
	list = []string{""}
	if !strings.Contains(text, ":") || !strings.ContainsAny(text, "{[") {
		return []string{text}, true
	}
	for text != "" {
		choices, rest := nextChoices(text)
		if len(list)*len(choices) > maxExpanded {
			return list, false
		}
		var longer []string
		for _, begun := range list {
			for _, item := range choices {
				longer = append(longer, begun+item)
			}
		}
		list, text = longer, rest
	}
	return list, true
}

// nextChoices returns the texts to which the first part of a pattern expands, and the rest of the pattern.
func nextChoices(text string) (choices []string, rest string) {
	switch end := strings.IndexAny(text[1:], "}]") + 1; {
	case text[0] == '{' && end > 0 && text[end] == '}':
		return strings.Split(text[1:end], ","), text[end+1:]
	case text[0] == '[' && end > 0 && text[end] == ']':
		if choices := expandRange(text[1:end]); choices != nil {
			return choices, text[end+1:]
		}
	}
	end := strings.IndexAny(text[1:], "{[") + 1
	if end == 0 {
		end = len(text)
	}
	return []string{text[:end]}, text[end:]
}

// expandRange returns the members of a range, or nil if the text is not a range.
func expandRange(text string) (members []string) {
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
