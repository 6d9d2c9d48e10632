package bundles

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// shared lists the paths at which two values share memory.
func sharedCache(at string, a, b reflect.Value) (list []string) {
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if a.UnsafePointer() == b.UnsafePointer() {
			return []string{at}
		}
	}
	switch a.Kind() {
	case reflect.Pointer:
		return sharedCache(at, a.Elem(), b.Elem())
	case reflect.Slice:
		return sharedCache(at+"[0]", a.Index(0), b.Index(0))
	case reflect.Map:
		key := reflect.ValueOf("key")
		return sharedCache(at+"[key]", a.MapIndex(key), b.MapIndex(key))
	case reflect.Struct:
		for i := range a.NumField() {
			list = append(list, sharedCache(at+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))...)
		}
	}
	return list
}

func TestACachedResultSharesNoMemoryWithADecision(t *testing.T) {
	t.Parallel()
	var terms *gavel.Terms
	var offer *gavel.Offer
	var reasons []gavel.Reason
	fill(reflect.ValueOf(&terms).Elem())
	fill(reflect.ValueOf(&offer).Elem())
	fill(reflect.ValueOf(&reasons).Elem())
	for name, pair := range map[string][2]any{
		"terms": {terms, cloneTerms(terms)}, "offer": {offer, cloneOffer(offer)}, "reasons": {reasons, cloneReasons(reasons)},
	} {
		assert.Equal(t, pair[0], pair[1], name)
		assert.Empty(t, sharedCache(name, reflect.ValueOf(pair[0]), reflect.ValueOf(pair[1])))
	}
}
