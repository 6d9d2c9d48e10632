package bundles

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/rego"
)

// filled sets every member of a value: lists have one element, pointers point.
func filled(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			filled(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem())
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key"), reflect.New(v.Type().Elem()).Elem())
	case reflect.String:
		v.SetString("text")
	case reflect.Int:
		v.SetInt(1)
	}
}

// changes calls each with the path of every single change that can be made to a value,
// and how to make it.
func changes(t *testing.T, v reflect.Value, path string, each func(path string, change func())) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			changes(t, v.Field(i), path+"."+v.Type().Field(i).Name, each)
		}
	case reflect.Slice:
		each(path+" missing", func() { v.SetZero() })
		each(path+" empty", func() { v.Set(reflect.MakeSlice(v.Type(), 0, 0)) })
		each(path+" longer", func() { v.Set(reflect.Append(v, v.Index(0))) })
		if v.Len() > 0 {
			changes(t, v.Index(0), path+"[0]", each)
		}
	case reflect.Pointer:
		each(path+" missing", func() { v.SetZero() })
		if !v.IsNil() {
			changes(t, v.Elem(), path, each)
		}
	case reflect.Map:
		each(path+" empty", func() { v.Clear() })
		each(path+" with another key", func() { v.SetMapIndex(reflect.ValueOf("more"), v.MapIndex(reflect.ValueOf("key"))) })
	case reflect.String:
		each(path, func() { v.SetString("other") })
	case reflect.Int:
		each(path, func() { v.SetInt(7) })
	case reflect.Bool:
		each(path, func() { v.SetBool(!v.Bool()) })
	default:
		t.Errorf("%s is of a kind that this test does not know: %s", path, v.Kind())
	}
}

func digestOf(t *testing.T, facts *gavel.Facts) digest {
	t.Helper()
	key, ok := new(digester).whole(facts, true)
	require.True(t, ok)
	return key
}

func TestTheDigestCoversEveryMemberOfTheFacts(t *testing.T) {
	t.Parallel()
	facts := func() *gavel.Facts {
		f := &gavel.Facts{}
		filled(reflect.ValueOf(f).Elem())
		return f
	}
	seen := map[digest]string{digestOf(t, facts()): "no change"}
	var paths []string
	changes(t, reflect.ValueOf(facts()).Elem(), "", func(path string, _ func()) { paths = append(paths, path) })
	for _, wanted := range paths {
		changed := facts()
		changes(t, reflect.ValueOf(changed).Elem(), "", func(path string, change func()) {
			if path == wanted {
				change()
			}
		})
		key := digestOf(t, changed)
		assert.Empty(t, seen[key], "%s has the digest of another change", wanted)
		seen[key] = wanted
	}
	assert.Greater(t, len(paths), 150, strings.Join(paths, " "))
}

// The lean digest leaves out exactly what the lean input leaves out.
func TestTheLeanDigestMatchesTheLeanInput(t *testing.T) {
	t.Parallel()
	facts := func() *gavel.Facts {
		f := &gavel.Facts{}
		filled(reflect.ValueOf(f).Elem())
		return f
	}
	input := func(f *gavel.Facts) string {
		known := &remembered{fields: contextFields(f, &question{shapes: newShapes()}), frozen: ast.NullTerm(), shared: ast.NullTerm(), shapes: newShapes()}
		return leanInput(f, known).String()
	}
	var paths []string
	changes(t, reflect.ValueOf(facts()).Elem(), "", func(path string, _ func()) { paths = append(paths, path) })
	withheld := 0
	for _, wanted := range paths {
		if strings.HasPrefix(wanted, ".Tool.Params") { // read by no rule, unless the policy has Rego of its own
			continue
		}
		changed := facts()
		changes(t, reflect.ValueOf(changed).Elem(), "", func(path string, change func()) {
			if path == wanted {
				change()
			}
		})
		same := input(changed) == input(facts())
		if same {
			withheld++
		}
		before, _ := new(digester).lean(facts())
		after, ok := new(digester).lean(changed)
		require.True(t, ok)
		if before == after {
			assert.True(t, same, "%s changes the question, and not its digest", wanted)
		} else if same {
			t.Logf("%s changes the digest of the same question", wanted)
		}
	}
	assert.Greater(t, withheld, 10)
}

func TestADigestKeepsTextsApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		a, b gavel.Facts
	}{
		{"texts side by side", gavel.Facts{Session: gavel.SessionFacts{Elevated: "ab", Inline: "c"}}, gavel.Facts{Session: gavel.SessionFacts{Elevated: "a", Inline: "bc"}}},
		{"words of a list", gavel.Facts{Group: gavel.GroupFacts{IDs: []string{"a", "b"}}}, gavel.Facts{Group: gavel.GroupFacts{IDs: []string{"a\x01b"}}}},
		{"lists side by side", gavel.Facts{Exec: &gavel.ExecFacts{Env: []string{"A"}, Variables: []string{}}},
			gavel.Facts{Exec: &gavel.ExecFacts{Env: []string{}, Variables: []string{"A"}}}},
	} {
		assert.NotEqual(t, digestOf(t, &c.a), digestOf(t, &c.b), c.name)
	}
}

func TestParametersThatCannotBeEncodedHaveNoDigest(t *testing.T) {
	t.Parallel()
	facts := &gavel.Facts{Tool: gavel.ToolFacts{Params: map[string]any{"f": func() {}}}}
	_, ok := new(digester).whole(facts, true)
	assert.False(t, ok)
	_, ok = new(digester).whole(facts, false)
	assert.True(t, ok, "the policy does not read them")
}

func TestALongQuestionIsNotCached(t *testing.T) {
	t.Parallel()
	long := &gavel.Facts{Environment: gavel.EnvironmentFacts{Cwd: strings.Repeat("x", maxQuestion)}}
	_, ok := new(digester).whole(long, false)
	assert.False(t, ok)
	_, ok = new(digester).lean(long)
	assert.False(t, ok)
}

func TestALongContextIsNotCached(t *testing.T) {
	t.Parallel()
	s, err := Load(t.Context(), Config{Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: rego.DefaultConfig, Now: time.Now})
	require.NoError(t, err)
	for want, model := range []string{strings.Repeat("m", maxContextKey), "m"} { // the first is not kept, the second is
		facts := gavel.Facts{Agent: gavel.AgentFacts{ID: "coder"}, Tool: gavel.ToolFacts{Name: "read"}, Model: gavel.ModelFacts{ID: model}}
		_, err := s.frozen(t.Context(), &facts)
		require.NoError(t, err)
		assert.Equal(t, want, s.contexts.cache.Len())
	}
}
