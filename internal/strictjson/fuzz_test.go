package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/internal/strictjson"
)

// FuzzDecodeCall holds the reader to three promises: it does not panic, every
// refusal has a place, and what it accepts the standard library reads alike.
func FuzzDecodeCall(f *testing.F) {
	f.Add([]byte(fullCall))
	for _, r := range refusals() {
		f.Add([]byte(r.data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = strictjson.DecodeCalls(data, 3)
		call, err := strictjson.DecodeCall(data, true)
		var refused *strictjson.Error
		if errors.As(err, &refused) {
			require.Positive(t, refused.Line)
			require.Positive(t, refused.Column)
			return
		}
		if err != nil {
			return
		}
		var plain gavel.Call
		require.NoError(t, json.Unmarshal(data, &plain), "the standard library refuses what we accept")
		require.Equal(t, plain, call)
	})
}

func BenchmarkDecodeCall(b *testing.B) {
	small := []byte(`{"agent":{"id":"main"},"tool":{"name":"bash","params":{"command":"rg -n TODO src/ | head -5 2>/dev/null"}}}`)
	for name, data := range map[string][]byte{"small": small, "full": []byte(fullCall)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := strictjson.DecodeCall(data, true); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	var buf bytes.Buffer
	decision := gavel.Decision{ID: "x", Reasons: []gavel.Reason{{Layer: "exec", Code: "exec.allowlist_miss", Message: "no entry"}}}
	b.ReportAllocs()
	for b.Loop() {
		buf.Reset()
		if err := strictjson.Write(&buf, decision); err != nil {
			b.Fatal(err)
		}
	}
}
