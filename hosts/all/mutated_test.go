package all_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/all"
)

// marker stands for what a policy denies: a file, a program, a tool.
const marker = "deniedthing"

// passedOn are members that may be missing: the working directory, where a search begins if its tool
// says so, and the model of a sub-agent.
const passedOn = "cwd directory subagent_model"

// read returns the calls of a payload, and whether they can be judged.
func read(t *testing.T, translators all.List, host string, payload any) (calls []gavel.Call, readable bool) {
	t.Helper()
	text, err := json.Marshal(payload)
	require.NoError(t, err)
	p, err := hosts.ReadPayload(text)
	require.NoError(t, err)
	h, err := translators.Detect(p, host)
	if err != nil {
		return nil, false
	}
	r, err := h.Read(p)
	unread := func(call gavel.Call) bool { return call.Tool.Unread != "" }
	return r.Calls, err == nil && !slices.ContainsFunc(r.Calls, unread)
}

// marked says whether a policy that denies the marker sees it in one of the calls.
func marked(t *testing.T, calls []gavel.Call) bool {
	t.Helper()
	return slices.ContainsFunc(calls, func(call gavel.Call) bool {
		tool, err := json.Marshal(call.Tool)
		require.NoError(t, err)
		return strings.Contains(string(tool), marker)
	})
}

// A host may change its payloads with any version. Whatever a payload is like, what a policy would
// deny is either judged or the payload is denied as unreadable: it is never passed over.
func TestADenyIsNotLostInAPayloadOfAnotherShape(t *testing.T) {
	leaves, translators := 0, all.Hosts()
	for file, p := range recorded(t) {
		host, err := translators.Detect(p, "")
		require.NoError(t, err, file)
		var payload any
		require.NoError(t, json.Unmarshal(p.JSON(), &payload))
		for _, leaf := range paths(payload, nil) {
			text, isText := at(payload, leaf).(string)
			if !isText || strings.Contains(passedOn, leaf[len(leaf)-1]) {
				continue
			}
			denied := changed(payload, leaf, func(any) any { return text + marker })
			if calls, readable := read(t, translators, host.Name, denied); !readable || !marked(t, calls) {
				continue // the translator passes this text over, or it is not about the tool
			}
			leaves++
			for about, other := range mutations(denied) {
				if whole, err := json.Marshal(other); err != nil || !strings.Contains(string(whole), marker) {
					continue
				}
				calls, readable := read(t, translators, host.Name, other)
				assert.True(t, !readable || marked(t, calls), "%s, with %v denied: %s", file, leaf, about)
			}
		}
	}
	assert.Greater(t, leaves, 100)
}

// mutations are the payload with one member null, renamed, or of another kind, by what was done.
func mutations(payload any) map[string]any {
	list := map[string]any{}
	for _, path := range paths(payload, nil) {
		where := strings.Join(path, ".")
		for kind, value := range map[string]func(any) any{
			"null":                func(any) any { return nil },
			"another text":        func(any) any { return "x" },
			"in a list":           func(v any) any { return []any{v} },
			"inside an object":    func(v any) any { return map[string]any{"value": v} },
			"an object as a text": func(v any) any { text, _ := json.Marshal(v); return string(text) },
		} {
			list[where+" is "+kind] = changed(payload, path, value)
		}
		for about, name := range map[string]func(string) string{
			"upper case": strings.ToUpper, "snake case": snake, "camel case": camel,
		} {
			if to := name(path[len(path)-1]); to != path[len(path)-1] {
				list[where+" is in "+about] = renamed(payload, path, to)
			}
		}
	}
	return list
}

// paths are the paths of all members of objects, at any depth.
func paths(value any, above []string) (list [][]string) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		path := append(slices.Clone(above), name)
		list = append(append(list, path), paths(object[name], path)...)
	}
	return list
}

func at(value any, path []string) any {
	for _, name := range path {
		value = value.(map[string]any)[name] //nolint:forcetypeassert // the path is one of paths
	}
	return value
}

// edited is the payload with the object that holds a member replaced.
func edited(value any, path []string, edit func(object map[string]any, name string)) any {
	object := maps.Clone(value.(map[string]any)) //nolint:forcetypeassert // the path is one of paths
	if len(path) == 1 {
		edit(object, path[0])
	} else {
		object[path[0]] = edited(object[path[0]], path[1:], edit)
	}
	return object
}

func changed(value any, path []string, to func(any) any) any {
	return edited(value, path, func(object map[string]any, name string) { object[name] = to(object[name]) })
}

func renamed(value any, path []string, to string) any {
	return edited(value, path, func(object map[string]any, name string) {
		object[to] = object[name]
		delete(object, name)
	})
}

// snake writes a name in camel case as one with underscores, and camel the other way round.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func camel(name string) string {
	parts := strings.Split(name, "_")
	for i := 1; i < len(parts); i++ {
		if parts[i] != "" {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
	}
	return strings.Join(parts, "")
}
