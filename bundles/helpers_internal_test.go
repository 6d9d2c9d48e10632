package bundles

import (
	"reflect"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/require"
)

// rulesOf are the compiled rules of a snapshot.
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
