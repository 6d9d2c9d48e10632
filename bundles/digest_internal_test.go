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
	"gavel/internal/regoir"
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

// everything that varies.
const everything = varyingCall | varyingParams | varyingTime

func digestOf(t *testing.T, facts *gavel.Facts) digest {
	t.Helper()
	key, ok := new(digester).of(facts, everything)
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

// What a digest leaves out is noticed when a rule looks at it: otherwise a cached answer could
// be given to calls that the rules tell apart.
func TestEveryFactThatADigestLeavesOutIsReportedWhenARuleReadsIt(t *testing.T) {
	t.Parallel()
	facts := func() *gavel.Facts {
		f := &gavel.Facts{}
		filled(reflect.ValueOf(f).Elem())
		return f
	}
	plain, ok := new(digester).of(facts(), 0)
	require.True(t, ok)
	var paths []string
	changes(t, reflect.ValueOf(facts()).Elem(), "", func(path string, _ func()) { paths = append(paths, path) })
	left := map[varying]int{}
	for _, wanted := range paths {
		changed := facts()
		changes(t, reflect.ValueOf(changed).Elem(), "", func(path string, change func()) {
			if path == wanted {
				change()
			}
		})
		key, ok := new(digester).of(changed, 0)
		require.True(t, ok)
		if key != plain {
			continue // in every digest
		}
		part := lookedAt(t, changed, wanted)
		left[part]++
		with, ok := new(digester).of(facts(), part)
		require.True(t, ok)
		changedWith, ok := new(digester).of(changed, part)
		require.True(t, ok)
		assert.NotEqual(t, with, changedWith, "a rule that looks at %s has an answer of its own", wanted)
	}
	assert.Greater(t, left[varyingCall], 40)
	assert.Greater(t, left[varyingTime], 4)
	assert.Equal(t, 2, left[varyingParams])
	assert.Len(t, left, 3, "%v: one part each, and something was noticed", left)
}

// lookedAt looks at the fact at a path of the Go struct, as a rule would, and returns what the
// input noticed.
func lookedAt(t *testing.T, facts *gavel.Facts, path string) varying {
	t.Helper()
	q := newQuestion(&remembered{fields: contextFields(facts, &question{shapes: newShapes()}), frozen: ast.NullTerm(), shapes: newShapes()})
	term, typ := ast.NewTerm(q.input(facts)), reflect.TypeFor[gavel.Facts]()
	path, _, _ = strings.Cut(path, " ")
	for _, step := range strings.Split(strings.TrimPrefix(path, "."), ".") {
		name, _, listed := strings.Cut(step, "[")
		field, ok := typ.FieldByName(name)
		require.True(t, ok, path)
		member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		term, typ = regoir.Get(term, member), field.Type
		if typ.Kind() == reflect.Pointer || listed {
			typ = typ.Elem()
		}
		if listed {
			_ = regoir.Each(term, func(first *ast.Term) { term = first })
		}
	}
	return q.looked
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
	_, ok := new(digester).of(facts, everything)
	assert.False(t, ok)
	_, ok = new(digester).of(facts, 0)
	assert.True(t, ok, "no rule looked at them")
}

func TestALongQuestionIsNotCached(t *testing.T) {
	t.Parallel()
	long := &gavel.Facts{Environment: gavel.EnvironmentFacts{Cwd: strings.Repeat("x", maxQuestion)}}
	_, ok := new(digester).of(long, 0)
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
