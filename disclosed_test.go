package gavel_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// filled sets every member below a value: texts, numbers, flags, and lists of one.
func filled(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			filled(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		filled(value)
		v.SetMapIndex(reflect.ValueOf("key"), value)
	case reflect.String:
		v.SetString("text")
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Interface:
		v.Set(reflect.ValueOf("anything"))
	}
}

// members are the paths of members that are not zero, as they are in the input.
func members(v reflect.Value, path string) (list []string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			list = append(list, members(v.Field(i), strings.TrimPrefix(path+"."+name, "."))...)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			list = members(v.Elem(), path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			list = append(list, members(v.Index(i), path+"[]")...)
		}
	default:
		if !v.IsZero() {
			list = []string{path}
		}
	}
	return list
}

// Nothing that was looked up is told, whatever facts there will be: each is here by name.
func TestAgentsSeeOnlyFactsThatTheirCallContains(t *testing.T) {
	t.Parallel()
	facts := &gavel.Facts{}
	filled(reflect.ValueOf(facts).Elem())
	whole := []string{"caller", "stated", "pause", "agent", "session", "model", "sender", "group", "tool", "plugins", "process",
		"exec.refusal", "exec.constructs[]", "exec.request", "exec.run"}
	single := []string{"resources[].access", "resources[].given", "namedFiles[].access", "namedFiles[].given", "namedFiles[].absolute",
		"exec.command", "exec.shell", "exec.parsed", "exec.env[]", "exec.variables[]", "exec.unknown[]",
		"exec.segments[].argv[]", "exec.segments[].start", "exec.segments[].end", "exec.segments[].builtin", "exec.segments[].opaque",
		"exec.segments[].subCommand", "exec.segments[].dynamic[]", "exec.segments[].numbered[]"}
	told := members(reflect.ValueOf(facts.Disclosed()).Elem(), "")
	for _, path := range members(reflect.ValueOf(facts).Elem(), "") {
		below := slices.ContainsFunc(whole, func(one string) bool { return path == one || strings.HasPrefix(path, one+".") })
		assert.Equal(t, below || slices.Contains(single, path), slices.Contains(told, path), path)
	}
	assert.Equal(t, gavel.Facts{}.Exec, (&gavel.Facts{}).Disclosed().Exec, "a call of another tool has none")
}
