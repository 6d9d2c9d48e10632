package analyzer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// readPatch reads the file names in a patch, in the format of apply_patch or as a unified diff.
// odd describes what another reader might read differently; a text that names no file is odd too.
func readPatch(patch string) (names []string, odd string) {
	names, odd = readApplyPatch(patch)
	switch begins := strings.HasPrefix(strings.TrimSpace(patch), "*** Begin Patch"); {
	case odd != "":
	case begins && len(names) > 0:
		if _, rest, ended := strings.Cut(patch, "\n*** End Patch"); ended && slices.ContainsFunc(strings.FieldsFunc(rest, anyLineEnd), isDiffHead) {
			odd = "a patch in two formats"
		}
	case len(names) > 0 && slices.ContainsFunc(strings.FieldsFunc(patch, anyLineEnd), isDiffHead):
		odd = "a patch in two formats"
	case len(names) == 0:
		names, odd = readDiff(patch)
		if len(names) == 0 && (odd == "" || odd == betweenParts) && strings.TrimSpace(patch) != "" {
			odd = "a patch that names no file"
		}
	}
	return names, odd
}

// isDiffHead reports whether some readers take a line for the head of a file or of a part in a
// diff. GNU patch reads indented diffs, and marks it with an X, and any case of "index:".
func isDiffHead(line string) bool {
	line = strings.TrimLeft(line, " \tX")
	return slices.ContainsFunc(append(diffHeads(), "diff --git ", "@@ "), func(head string) bool {
		return len(line) >= len(head) && strings.EqualFold(line[:len(head)], head)
	})
}

// anyLineEnd reports whether a character is a line feed, or a line end for some readers.
func anyLineEnd(r rune) bool { return r == '\n' || mayEndLine(r) }

// hidesHead reports whether a line of a diff is several lines for some readers, one of them the
// head of a file.
func hidesHead(line string) bool {
	first := strings.IndexFunc(line, mayEndLine)
	return first >= 0 && slices.ContainsFunc(strings.FieldsFunc(line[first:], mayEndLine), isDiffHead)
}

// diffHeads returns the beginnings of the lines of a unified diff that name a file.
func diffHeads() []string {
	return []string{"--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to ", "Index: "}
}

// readDiff reads the file names in a unified diff. Some programs drop the first name of a path and
// others do not, so both readings are returned. In a hunk, a line that looks like a head counts as
// one. Outside hunks, only lines that belong there are understood.
func readDiff(diff string) (names []string, odd string) {
	known := regexp.MustCompile(`^(?:$|@@ |--- |\+\+\+ |Index: |diff |(?:rename|copy) (?:from|to) |=+$|index [0-9a-f]+\.\.[0-9a-f]+(?: 100(?:644|755))?$|` +
		`(?:old|new|new file|deleted file) mode 100(?:644|755)$|(?:dis)?similarity index [0-9]+%$)`)
	hunk := regexp.MustCompile(`^@@ -[0-9]+(?:,([0-9]+))? \+[0-9]+(?:,([0-9]+))? @@`)
	removed, added := 0, 0 // lines that remain in the hunk
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		inside := removed > 0 || added > 0
		if hidesHead(line) {
			return names, "a line of a diff that another reader may take for several"
		}
		switch {
		case inside && (line == "" || line[0] == ' '):
			removed, added = removed-1, added-1
			continue
		case inside && line[0] == '-':
			removed--
		case inside && line[0] == '+':
			added--
		case strings.HasPrefix(line, "\\"):
			continue
		case inside:
			return names, "a part that is shorter than it says"
		}
		found, what := diffHead(line, inside)
		switch counts := hunk.FindStringSubmatch(line); {
		case what != "":
			return names, what
		case !inside && counts != nil:
			removed, added = lineCount(counts[1]), lineCount(counts[2])
		case !inside && strings.HasPrefix(line, "@@"):
			return names, "a part whose head cannot be read"
		case !inside && !known.MatchString(line):
			return names, betweenParts
		}
		names = append(names, found...)
	}
	if removed > 0 || added > 0 {
		return names, "a part that is shorter than it says"
	}
	return names, ""
}

const betweenParts = "a line between the parts of a diff that is not understood"

// lineCount returns a number of lines in the head of a hunk; a missing one is 1.
func lineCount(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 1
	}
	return n
}

// diffHead reads the names in one line of a diff that names files.
func diffHead(line string, inside bool) (names []string, odd string) {
	both, git := strings.CutPrefix(line, "diff --git ")
	switch {
	case git && strings.Count(both, " ") != 1:
		return nil, "a diff --git line that does not have two plain names"
	case !inside && strings.HasSuffix(line, "mode 120000"):
		return nil, "a symbolic link"
	case git:
		names = strings.Split(both, " ")
	default:
		for _, head := range diffHeads() {
			if name, ok := strings.CutPrefix(line, head); ok {
				name, _, tab := strings.Cut(name, "\t")
				if !inside && !tab && (line[0] == '-' || line[0] == '+') && strings.Contains(strings.Trim(name, " "), " ") {
					return nil, "a name with a space that no tab ends" // GNU patch ends it at the space
				}
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		if strings.HasPrefix(name, `"`) {
			return nil, "a quoted name"
		}
		if _, rest, ok := strings.Cut(name, "/"); ok && name != noFile {
			names = append(names, rest)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == noFile }), ""
}

// noFile is the name in a diff of a file that does not exist before or after.
const noFile = "/dev/null"
