package wire_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/wire"
)

// vector is a request with the signatures that two independent programs computed for it.
type vector struct {
	Name, Tool, Cwd, Nonce, Args, Env, Six, Seven string
	PTY                                           bool
}

const vectorTime = 1706745600

func vectors(t *testing.T) (list []vector) {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &list))
	require.Len(t, list, 14)
	return list
}

func secret() []byte {
	secret := make([]byte, wire.SecretSize)
	for i := range secret {
		secret[i] = byte(i)
	}
	return secret
}

// request is the request of a vector; what is signed as arguments is what a client sends.
func (v vector) request(t *testing.T) *wire.Request {
	t.Helper()
	r := &wire.Request{Version: wire.Version, Tool: v.Tool, Cwd: v.Cwd, Nonce: v.Nonce, Timestamp: "1706745600", UsePTY: v.PTY}
	if len(v.Tool) > 6 && v.Tool[:6] == "admin:" {
		r.Admin, r.Tool = v.Tool[6:], ""
	}
	require.NoError(t, json.Unmarshal([]byte(v.Args), &r.Args))
	require.NoError(t, json.Unmarshal([]byte(v.Env), &r.Env))
	if len(r.Env) == 0 {
		r.Env = nil
	}
	return r
}

func TestEveryVectorIsSignedInBothForms(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			r := v.request(t)
			r.Sign(secret(), wire.SixFields)
			assert.Equal(t, v.Six, r.HMAC)
			r.Sign(secret(), wire.SevenFields)
			assert.Equal(t, v.Seven, r.HMAC)
		})
	}
}

func TestEveryVectorIsAcceptedAsALine(t *testing.T) {
	for _, v := range vectors(t) {
		for form, signature := range map[string]string{"six fields": v.Six, "seven fields": v.Seven} {
			t.Run(v.Name+", "+form, func(t *testing.T) {
				r := v.request(t)
				r.HMAC = signature
				line, err := wire.EncodeLine(r)
				require.NoError(t, err)
				read, err := wire.ParseRequest(line)
				require.NoError(t, err)
				_, err = read.Verify(secret(), time.Unix(vectorTime, 0))
				if v.PTY && form == "six fields" {
					require.ErrorIs(t, err, wire.ErrSignature, "a terminal that is not signed is not given")
					return
				}
				require.NoError(t, err)
				other := secret()
				other[31]++
				_, err = read.Verify(other, time.Unix(vectorTime, 0))
				require.ErrorIs(t, err, wire.ErrSignature)
			})
		}
	}
}

// Programs built with old versions of Go write two control characters otherwise.
func TestTheLongSpellingOfControlCharactersIsAccepted(t *testing.T) {
	r := &wire.Request{Version: wire.Version, Tool: "gh", Cwd: "/w", Nonce: "AAECAwQFBgcICQoLDA0ODw==", Timestamp: "1706745600", Args: &[]string{"\b\f"},
		// HMAC-SHA256 of the seven fields with \u0008\u000c, computed with another program.
		HMAC: "cUuArS7Ext0SrmrHDVD8pR+p6N+3zRf/R94vdq9RNuU="}
	_, err := r.Verify(secret(), time.Unix(vectorTime, 0))
	require.NoError(t, err)
}
