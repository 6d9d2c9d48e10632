package strictjson

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// encodedByLibrary is what the library writes.
func encodedByLibrary(t *testing.T, d *gavel.Decision) string {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, writeWithLibrary(&text, d))
	return text.String()
}

// fillRandomly gives a value to every member of v, or leaves some of them out, at random.
func fillRandomly(random *rand.Rand, v reflect.Value, skip map[string]bool) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && !skip[field.Name] && random.IntN(4) > 0 {
				fillRandomly(random, v.Field(i), skip)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillRandomly(random, v.Elem(), skip)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), random.IntN(3), 3))
		for i := range v.Len() {
			fillRandomly(random, v.Index(i), skip)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range random.IntN(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fillRandomly(random, key, skip)
			fillRandomly(random, value, skip)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		signs := []byte(` !"#$%&'()*+,-./09:;<=>?@AZ[\]^_` + "`" + `az{|}~`)
		text := make([]byte, random.IntN(6))
		for i := range text {
			text[i] = signs[random.IntN(len(signs))]
		}
		v.SetString(string(text))
	case reflect.Int:
		v.SetInt(int64(random.IntN(2000) - 1000))
	case reflect.Uint8: // an effect
		v.SetUint(uint64(random.IntN(3)))
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic("a decision has a member of a kind that this test does not fill: " + v.Type().String())
	}
}

// A member that is new to the types and not written by hand fails this test.
func TestFastEncoderWritesWhatTheLibraryWrites(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	unsupported := map[string]bool{"Web": true, "Terms": true, "Approval": true, "Layers": true, "Facts": true, "Offer": true, "Pins": true, "Change": true, "Asks": true, "Lifecycle": true}
	for range 20_000 {
		var d gavel.Decision
		fillRandomly(random, reflect.ValueOf(&d).Elem(), unsupported)
		text, ok := appendDecisionFast([]byte("before "), &d)
		require.True(t, ok, "%+v", d)
		require.Equal(t, "before "+encodedByLibrary(t, &d), string(text))
	}
}

func TestUnusualDecisionsAreLeftToTheLibrary(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]gavel.Decision{
		"terms":          {Terms: &gavel.Terms{}},
		"an approval":    {Approval: &gavel.Pending{}},
		"layers":         {Layers: []gavel.Layer{{}}},
		"facts":          {Facts: &gavel.Facts{}},
		"a change":       {Change: &gavel.Change{}},
		"an offer":       {Exec: &gavel.Exec{Offer: &gavel.Offer{}}},
		"how it runs":    {Exec: &gavel.Exec{Lifecycle: &gavel.Lifecycle{}}},
		"pins":           {Exec: &gavel.Exec{Pins: &gavel.Pins{Files: []gavel.Pin{}}}},
		"a sign of UTF8": {Call: "ä"},
		"no UTF8":        {Call: "\xff"},
		"a line feed":    {Exec: &gavel.Exec{Command: "a\nb"}},
		"a delete":       {Reasons: []gavel.Reason{{Message: "\x7f"}}},
		"a name":         {Exec: &gavel.Exec{Env: map[string]string{"ä": ""}}},
	} {
		_, ok := appendDecisionFast(nil, &d)
		assert.False(t, ok, name)
		var text bytes.Buffer
		require.NoError(t, Write(&text, &d))
		assert.Equal(t, encodedByLibrary(t, &d), text.String(), name)
	}
}
