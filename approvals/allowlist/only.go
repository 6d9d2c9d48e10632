package allowlist

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gavel"
)

// exactPrefix is the prefix of the pattern of an entry for exactly one command.
const exactPrefix = "=command:"

// checkOnly returns an error if the limits of an entry are not understood. Ignoring an unknown
// limit would make the entry wider than intended.
func checkOnly(e Entry) error {
	only := e.Only
	switch {
	case only == nil:
		return nil
	case only.Form == gavel.FormCommand && (len(only.Command) != 64 || !isHex(only.Command)):
		return errors.New("command is not a SHA-256 in lower-case hex")
	case only.Form == gavel.FormCommand && e.Pattern != exactPrefix+only.Command[:16]:
		return fmt.Errorf("pattern is not %s and the first 16 characters of command", exactPrefix)
	case only.Form == gavel.FormWords && !strings.HasPrefix(only.Cwd, "/"):
		return errors.New("cwd is not absolute")
	case only.Form != gavel.FormCommand && !strings.HasPrefix(e.Pattern, "/"):
		return errors.New("pattern is not an absolute path")
	case checkSecrets(only) != nil:
		return checkSecrets(only)
	case only.SHA256 != "" && !isHex(only.SHA256):
		return errors.New("sha256 is not in lower-case hex")
	case !slices.Contains([]string{gavel.FormCommand, gavel.FormWords, gavel.FormOperands}, only.Form):
		return fmt.Errorf("form %q is not one of command, words, operands", only.Form)
	}
	return nil
}

func isHex(text string) bool { return strings.Trim(text, "0123456789abcdef") == "" }

// withoutEmptyLists removes empty lists, so that an entry that is written and read again is equal.
func withoutEmptyLists(only *gavel.Only) *gavel.Only {
	if only == nil {
		return nil
	}
	o := *only
	for _, list := range []*[]string{&o.Argv, &o.Targets, &o.Options, &o.Words} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	return &o
}

// fits reports whether a segment is within the limits of an entry.
func fits(only *limits, segment *gavel.Segment) bool {
	if only.SHA256 != "" && only.SHA256 != content(segment) {
		return false
	}
	if only.SHA256 == "" && len(segment.Executable.Writable) > 0 {
		return false // others could have changed it since, and its old content is unknown
	}
	if segment.Opaque != "" || segment.Builtin != "" || len(segment.Argv) == 0 || len(segment.Dynamic) > 0 || len(segment.Unbound) > 0 ||
		segment.SubCommand != only.SubCommand || !namesNoOtherFile(segment) {
		return false
	}
	words := segment.Argv[1:]
	switch only.Form {
	case gavel.FormWords:
		return segment.Cwd == only.Cwd && only.equal("argv", only.Argv, words) && only.equal("targets", only.Targets, targets(segment))
	case gavel.FormOperands:
		return operandsFit(only, words)
	}
	return false
}

// namesNoOtherFile reports whether the segment names no code file but the program itself.
func namesNoOtherFile(segment *gavel.Segment) bool {
	return !slices.ContainsFunc(segment.Scripts, func(s gavel.Script) bool { return s.Real != segment.Executable.Real })
}

// content returns the hash of the program file.
func content(segment *gavel.Segment) string {
	if segment.Executable.SHA256 != "" {
		return segment.Executable.SHA256
	}
	for _, script := range segment.Scripts {
		if script.Real == segment.Executable.Real && script.Found {
			return script.SHA256
		}
	}
	return ""
}

// targets returns the files that hazards name, in order.
func targets(segment *gavel.Segment) []string {
	var list []string
	for _, hazard := range segment.Hazards {
		list = append(list, hazard.Real)
	}
	return list
}

// operandsFit reports whether words consist of permitted options, the sub-command, and operands
// that are plain or were judged.
func operandsFit(only *limits, words []string) bool {
	for i, word := range words {
		switch {
		case i == 0 && only.SubCommand != "":
			if word != only.SubCommand {
				return false
			}
		case strings.HasPrefix(word, "-"):
			if !only.contains("options", only.Options, word) {
				return false
			}
		case !plainOperand(word) && !only.contains("words", only.Words, word):
			return false
		}
	}
	return only.SubCommand == "" || len(words) > 0
}

// plainOperand reports whether another plain operand may take the place of this one. It mirrors
// the rule plain in rego/gavel/exec/offer/forms; a test compares the two.
func plainOperand(word string) bool {
	if word != "" && strings.ContainsRune("-/~", rune(word[0])) || strings.ContainsAny(word, ":=") {
		return false
	}
	return !slices.Contains(strings.Split(word, "/"), "..")
}

// Exactly implements approvals.Exactly: the path of the entry for exactly this command, of
// the agent or of *, or "".
func (f *File) Exactly(agent, command string) string {
	v := f.state.Load()
	if v.err != nil || v.document == nil || command == "" {
		return ""
	}
	for _, id := range []string{"*", agent} {
		for i, entry := range v.document.Agents[id].Allowlist {
			if entry.Only != nil && entry.Only.Form == gavel.FormCommand && entry.Only.Command == command && !entry.narrowed() {
				return fmt.Sprintf("%s#agents.%s.allowlist[%d]", Name, id, i)
			}
		}
	}
	return ""
}

func sameOnly(a, b *gavel.Only) bool { return reflect.DeepEqual(a, b) }
