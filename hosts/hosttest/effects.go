package hosttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/hosts"
)

// Effects compares every answer that the translator can give with testdata/effects.yaml, which says what
// the host was measured to do with an answer of its form. An answer that was never measured
// is an error, and so is a deny, an ask or a failure with which the tool runs.
func Effects(t *testing.T, h hosts.Host) {
	t.Helper()
	text, err := os.ReadFile("testdata/effects.yaml")
	require.NoError(t, err)
	var effects map[string]map[string]string // by event, and by form
	require.NoError(t, yaml.Unmarshal(text, &effects))
	for name, p := range Payloads(t) {
		r, err := h.Read(p)
		require.NoError(t, err, name)
		runs := make([]string, len(r.Calls))
		effect := func(about string, reply hosts.Reply) string {
			form := Form(t, reply)
			got, measured := effects[r.Event][form]
			assert.True(t, measured, "%s: %s: %q was never measured for %s", name, about, form, r.Event)
			return got
		}
		for _, reason := range []string{Reason, "two\nlines", strings.Repeat("x", 5000), `"quoted" \ `, "\xff"} {
			deny := h.Answer(r, hosts.Verdict{Reason: reason, Run: runs})
			assert.Equal(t, "blocked", effect("deny", deny))
			fails := h.Fail(p, errors.New(reason))
			assert.Equal(t, "blocked", effect("failure", fails))
			if r.Asks {
				asks := h.Answer(r, hosts.Verdict{Effect: gavel.Ask, Reason: reason, Run: runs})
				assert.Contains(t, []string{"blocked", "asks"}, effect("ask", asks))
			}
			if _, isText := firstCommand(r); isText && r.Asks && r.Rewrites {
				asks := h.Answer(r, hosts.Verdict{Effect: gavel.Ask, Reason: reason, Run: []string{"'/bin/true'"}})
				assert.Contains(t, []string{"blocked", "asks"}, effect("ask with a rewrite", asks))
			}
			assert.Equal(t, "runs", effect("allow", h.Answer(r, hosts.Verdict{Effect: gavel.Allow, Reason: reason, Run: runs})))
			if _, isText := firstCommand(r); isText && r.Rewrites {
				rewritten := h.Answer(r, hosts.Verdict{Effect: gavel.Allow, Reason: reason, Run: []string{"'/bin/true'"}})
				if effect("rewrite", rewritten) == "asks" {
					continue // the person sees the original, and decides
				}
				assert.Equal(t, "runs rewritten", effect("rewrite", rewritten))
				assert.Contains(t, string(rewritten.Stdout), "'/bin/true'")
			}
		}
	}
}

func firstCommand(r hosts.Request) (string, bool) {
	if len(r.Calls) != 1 || r.Calls[0].Tool.Name != "exec" {
		return "", false
	}
	text, ok := r.Calls[0].Tool.Params["command"].(string)
	return text, ok
}

// Form describes the parts of an answer that hosts read: the members that are printed, whether
// there is text on standard error, and the exit code. Texts become "…".
func Form(t *testing.T, reply hosts.Reply) string {
	t.Helper()
	form := "nothing"
	if len(reply.Stdout) > 0 {
		require.Equal(t, 1, strings.Count(string(reply.Stdout), "\n"), "%q is not one line", reply.Stdout)
		var printed map[string]any
		require.NoError(t, json.Unmarshal(reply.Stdout, &printed))
		form = strings.Join(described("", printed), " ")
	}
	if len(reply.Stderr) > 0 {
		require.NotEmpty(t, strings.TrimSpace(string(reply.Stderr)))
		form += ", stderr"
	}
	return fmt.Sprintf("%s, exit %d", form, reply.Exit)
}

// described lists the members of an object, sorted. The value of a member counts if it is one
// of a few words.
func described(prefix string, o map[string]any) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		switch value := o[name].(type) {
		case map[string]any:
			if name == "updatedInput" || name == "tool_input" || name == "modifiedArgs" || name == "overrideInput" || name == "updated_input" {
				list = append(list, prefix+name)
				continue
			}
			list = append(list, described(prefix, value)...)
		case string:
			words := []string{"allow", "deny", "ask", "block", "PreToolUse", "PermissionRequest", "BeforeTool"}
			if slices.Contains(words, value) {
				list = append(list, name+"="+value)
			} else if value == "" {
				list = append(list, name+"=empty")
			} else {
				list = append(list, name)
			}
		default:
			list = append(list, fmt.Sprintf("%s=%v", name, value))
		}
	}
	return list
}
