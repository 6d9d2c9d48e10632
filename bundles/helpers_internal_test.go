package bundles

import (
	"context"
	"reflect"
	"testing"
	"time"

	shipped "gavel/rego"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/require"
)

// compilerOf returns the compiler of a snapshot, with the compiled rules.
func compilerOf(t *testing.T, s *Snapshot) *ast.Compiler {
	t.Helper()
	compiler, err := s.compiler()
	require.NoError(t, err)
	return compiler
}

// fill gives every member of a value something other than its zero value: lists and maps have
// one element, and pointers point to a filled value.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value)
		v.SetMapIndex(reflect.ValueOf("key"), value)
	case reflect.String:
		v.SetString("text")
	case reflect.Int:
		v.SetInt(1)
	}
}

// loadUncached loads the shipped policy with a CompileCache of its own. cfg has other settings.
func loadUncached(t testing.TB, cfg Config) *Snapshot {
	t.Helper()
	programs, err := NewCompileCache()
	require.NoError(t, err)
	cfg.CompileCache, cfg.Builtin, cfg.ConfigSchema = programs, shipped.Policy, shipped.ConfigSchema
	cfg.FactsSchema, cfg.Default, cfg.Now = shipped.FactsSchema, shipped.DefaultConfig, time.Now
	s, err := Load(context.Background(), cfg)
	require.NoError(t, err)
	return s
}
