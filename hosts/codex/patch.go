package codex

import (
	"regexp"
	"strings"
)

// patchIn returns the patch of a command that does nothing but apply one, and the directory
// that it changes to first:
//
//	[cd DIR &&] apply_patch <<'EOF'
//	…
//	EOF
//
// Codex carries such a command out itself. If it does not, the shell starts Codex's own
// apply_patch with the same text: so the text must be one that the shell does not expand.
func patchIn(text string) (patch, dir string, ok bool) {
	head, body, ok := strings.Cut(text, "\n")
	if !ok {
		return "", "", false
	}
	parts := regexp.MustCompile(`^\s*(?:cd[ \t]+([A-Za-z0-9_./-]+|'[^']*')[ \t]*&&[ \t]*)?(?:apply_patch|applypatch)` +
		`[ \t]*<<[ \t]*(?:'(\w+)'|"(\w+)"|(\w+))[ \t]*$`).FindStringSubmatch(head)
	if parts == nil || strings.HasPrefix(parts[1], "-") {
		return "", "", false
	}
	end := parts[2] + parts[3] + parts[4]
	if parts[4] != "" && strings.ContainsAny(body, "$`\\") {
		return "", "", false
	}
	at := strings.Index("\n"+body, "\n"+end+"\n")
	rest := ""
	if at < 0 {
		if !strings.HasSuffix("\n"+body, "\n"+end) {
			return "", "", false
		}
		at = len(body) - len(end)
	} else {
		rest = body[at+len(end)+1:]
	}
	if strings.TrimSpace(rest) != "" {
		return "", "", false
	}
	return body[:at], strings.Trim(parts[1], "'"), true
}
