package unwrap

import (
	"strconv"
	"strings"
)

// passedOn reads a shell text that only runs its parameters, such as "$0" "$@". words are the text, the
// name and the parameters. It returns the index in words at which the command begins, or 0 for any
// other text (EXEC-5).
//
// The command must consist of all remaining words, each of them once and in order, so that
// running the words is the same as running the text. The program may be unquoted. A parameter must be
// quoted, because a shell would split it otherwise.
func passedOn(words []string) int {
	text := strings.Trim(words[0], " \t")
	if rest, ok := strings.CutPrefix(text, "exec "); ok {
		text = strings.TrimLeft(rest, " \t")
		if rest, ok := strings.CutPrefix(text, "-- "); ok {
			text = strings.TrimLeft(rest, " \t")
		}
	}
	if strings.ContainsAny(text, "\r\n") {
		return 0
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' })
	if len(parts) == 1 && (parts[0] == `"$@"` || parts[0] == `"${@}"`) && len(words) > 2 {
		return 2
	}
	if len(parts) == 0 || !quotedParameter(parts[0], "0") && parts[0] != "$0" && parts[0] != "${0}" {
		return 0
	}
	if len(parts) == 2 && quotedParameter(parts[1], "@") {
		return 1
	}
	if len(parts) != len(words)-1 || len(parts) > 10 { // a shell reads $10 as ${1}0
		return 0
	}
	for i, part := range parts[1:] {
		if !quotedParameter(part, strconv.Itoa(i+1)) {
			return 0
		}
	}
	return 1
}

// quotedParameter reports whether a part is one parameter in double quotes.
func quotedParameter(part, name string) bool {
	return part == `"$`+name+`"` || part == `"${`+name+`}"`
}
