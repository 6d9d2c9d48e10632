package lint

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"gavel"
	"gavel/bundles/config"
)

// shadowed warns about rules and allowlist entries without effect, because another rule decides every
// command that they match. Conditions are compared literally, so not every such rule is found.
func shadowed(document *config.Document) []gavel.Problem {
	f := findings{document: document}
	rules := rulesOf(document)
	for i, rule := range rules {
		for j, other := range rules {
			if i != j && covers(other, rule) && (j < i || !covers(rule, other)) {
				f.add(rule.path, "delete it, or limit "+other.path, "the rule has no effect: %s %s every command that it is about", other.path, verbOf(other.effect))
				break
			}
		}
	}
	for _, entry := range allowlistEntries(document.Data, "") {
		rule := configuredRule{path: entry.path, program: entry.pattern, effect: "allow", given: map[string]any{"accepts": "any"}}
		for _, other := range rules {
			if other.effect == "deny" && covers(other, rule) {
				f.add(entry.path, "delete it, or limit "+other.path, "the entry has no effect: %s denies every command that it is about", other.path)
				break
			}
		}
	}
	return f.list
}

func verbOf(effect string) string {
	return map[string]string{"deny": "denies", "ask": "asks about", "allow": "allows"}[effect]
}

// covers reports whether the rule wide decides every command that narrow matches.
func covers(wide, narrow configuredRule) bool {
	return coversAgents(wide, narrow) && sameProgram(wide, narrow) && stronger(wide, narrow) &&
		coversCommands(wide, narrow) && coversKey("options", wide, narrow) && coversKey("operands", wide, narrow)
}

// coversAgents reports whether wide applies to every agent that narrow applies to.
func coversAgents(wide, narrow configuredRule) bool {
	section := func(r configuredRule) string {
		steps := strings.Split(r.path, ".")
		return strings.Join(steps[:len(steps)-1], ".")
	}
	switch of := section(wide); of {
	case section(narrow), "tools.exec":
		return true
	case "agents.defaults.exec":
		return wide.effect != "allow" && section(narrow) != "tools.exec"
	}
	return false
}

// sameProgram compares programs. A deny or ask rule with a plain name is about that program in
// any directory.
func sameProgram(wide, narrow configuredRule) bool {
	if wide.program == narrow.program {
		return true
	}
	return wide.effect != "allow" && !strings.ContainsAny(wide.program+narrow.program, "*?") &&
		!strings.Contains(wide.program, "/") && path.Base(narrow.program) == wide.program
}

// stronger reports whether the effect of wide wins over that of narrow: deny over ask, ask over allow.
// Of two equal effects, wide wins if narrow has no terms of its own.
func stronger(wide, narrow configuredRule) bool {
	rank := []string{"allow", "ask", "deny"}
	switch a, b := slices.Index(rank, wide.effect), slices.Index(rank, narrow.effect); {
	case a != b:
		return a > b
	case wide.effect == "allow":
		return wide.given["accepts"] == "any" || reflect.DeepEqual(wide.given["accepts"], narrow.given["accepts"]) || narrow.given["accepts"] == nil
	}
	for _, key := range []string{"approvers", "quorum", "timeout"} {
		if narrow.given[key] != nil && !reflect.DeepEqual(wide.given[key], narrow.given[key]) {
			return false
		}
	}
	return true
}

func coversCommands(wide, narrow configuredRule) bool {
	if wide.given["commands"] == nil {
		return true
	}
	return len(narrow.commands) > 0 && !slices.ContainsFunc(narrow.commands, func(command string) bool {
		return !slices.ContainsFunc(wide.commands, func(above string) bool { return command == above || strings.HasPrefix(command, above+" ") })
	})
}

// coversKey reports whether a condition of wide covers that of narrow. Two rules of different effect are
// not compared: in an allow rule every operand has to match, in a deny or ask rule one of them.
func coversKey(key string, wide, narrow configuredRule) bool {
	alike := (wide.effect == "allow") == (narrow.effect == "allow")
	return wide.given[key] == nil || alike && reflect.DeepEqual(wide.given[key], narrow.given[key])
}
