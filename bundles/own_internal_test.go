package bundles

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// made sets everything that a value is made of.
func made(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		made(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		made(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		made(value)
		v.SetMapIndex(reflect.ValueOf("key"), value)
	case reflect.Struct:
		for i := range v.NumField() {
			made(v.Field(i))
		}
	case reflect.String:
		v.SetString("text")
	}
}

// shared lists what two values have in common in memory.
func shared(at string, a, b reflect.Value) (list []string) {
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if a.UnsafePointer() == b.UnsafePointer() {
			return []string{at}
		}
	}
	switch a.Kind() {
	case reflect.Pointer:
		return shared(at, a.Elem(), b.Elem())
	case reflect.Slice:
		return shared(at+"[0]", a.Index(0), b.Index(0))
	case reflect.Map:
		key := reflect.ValueOf("key")
		return shared(at+"[key]", a.MapIndex(key), b.MapIndex(key))
	case reflect.Struct:
		for i := range a.NumField() {
			list = append(list, shared(at+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))...)
		}
	}
	return list
}

func TestACachedAnswerSharesNothingWithADecision(t *testing.T) {
	t.Parallel()
	var terms *gavel.Terms
	var offer *gavel.Offer
	var reasons []gavel.Reason
	made(reflect.ValueOf(&terms).Elem())
	made(reflect.ValueOf(&offer).Elem())
	made(reflect.ValueOf(&reasons).Elem())
	for name, pair := range map[string][2]any{
		"terms": {terms, ownTerms(terms)}, "offer": {offer, ownOffer(offer)}, "reasons": {reasons, ownReasons(reasons)},
	} {
		assert.Equal(t, pair[0], pair[1], name)
		assert.Empty(t, shared(name, reflect.ValueOf(pair[0]), reflect.ValueOf(pair[1])))
	}
}
