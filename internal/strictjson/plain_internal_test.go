package strictjson

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// fullFastCall is a call that the plain reader reads, with every member that it knows.
const fullFastCall = `{"id":"42","agent":{"id":"main","depth":1,"maxDepth":20,"sandboxed":false},
  "session":{"key":"k","elevated":"off"},"model":{"provider":"openai","id":"gpt"},
  "sender":{"channel":"discord","id":"1","name":"A","username":"a","tag":"a#1","from":"a@b","e164":"+1","owner":true},
  "group":{"channel":"discord","account":"x","id":"G"},
  "tool":{"name":"bash","plugin":"p","params":{"command":"ls | wc","background":true,"pty":false,"empty":"","timeout":30,"host":null}},
  "environment":{"cwd":"/srv","home":"/home/u","workspace":"/srv","path":["/usr/bin","/bin"],"platform":"linux","shell":"bash",
                 "executables":{"rg":"/usr/bin/rg","ls":"/bin/ls"}}}`

// decodedAlike holds the plain reader against the library: what it reads, the library reads
// alike.
func decodedAlike(t *testing.T, data []byte) (ok bool) {
	t.Helper()
	call, ok := decodeCallFast(data)
	if !ok {
		return false
	}
	var want gavel.Call
	require.NoError(t, UnmarshalCall(data, &want), "%s", data)
	require.Equal(t, want, call, "%s", data)
	return true
}

func TestFastDecoderDecodesPlainCalls(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		fullFastCall, `{}`, ` { } `, `{"agent":{}}`, `{"tool":{"params":{}}}`, `{"environment":{}}`, `{"sender":{}}`,
		`{"environment":{"path":[],"executables":{}}}`, "\t{\"id\"\r\n:\n\"\"}\n", `{"agent":{"depth":0}}`, `{"agent":{"depth":999999}}`,
		`{"tool":{"params":{"":"","a":true}}}`, `{"tool":{"params":{"a":null,"b":0,"c":1,"d":999999 }}}`, `{"id":"\u0061\u007F\u0000"}`, `{"tool":{"params":{"a":"\"\\\/\b\f\n\r\t \u0026\u0026 \u003c"}}}`,
	} {
		assert.True(t, decodedAlike(t, []byte(data)), "it is plain: %s", data)
	}
}

func TestFastDecoderLeavesEverythingElseToTheLibrary(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		``, ` `, `{`, `[]`, `null`, `"x"`, `{}x`, `{} {}`, `{},`, `{"id"}`, `{"id":}`, `{"id":"a",}`, `{,}`, `{"id":"a" "agent":{}}`, `{"id" "a"}`,
		`{"id":"a","id":"a"}`, `{"agent":{"id":"a"},"agent":{}}`, `{"tool":{"params":{"a":true,"a":true}}}`, `{"environment":{"executables":{"a":"","a":""}}}`,
		`{"ID":"a"}`, `{"nosuch":"a"}`, `{"agent":{"parents":[]}}`, `{"message":{}}`, `{"session":{"exec":{}}}`, `{"environment":{"plugins":{}}}`,
		`{"\u0069d":"a"}`, `{"id":"\u0080"}`, `{"id":"\ud800"}`, `{"id":"\u00"}`, `{"id":"\u00+1"}`, `{"id":"\u 001"}`, `{"id":"\U0061"}`, `{"id":"\x61"}`, `{"id":"\'"}`, `{"id":"\`, `{"id":"a\u0061`, `{"id":"ä"}`, "{\"id\":\"a\tb\"}", "{\"id\":\"a\x00\"}", "{\"id\":\"a\x7f\"}", "{\"id\":\"a\xff\"}", `{"id":"a`, `{"id":"a\"}`,
		`{"id":null}`, `{"agent":null}`, `{"environment":{"path":null}}`, `{"tool":{"params":null}}`, `{"id":1}`, `{"id":true}`, `{"id":{}}`,
		`{"agent":{"depth":-1}}`, `{"agent":{"depth":01}}`, `{"agent":{"depth":1.0}}`, `{"agent":{"depth":1e1}}`, `{"agent":{"depth":1000000}}`, `{"agent":{"depth":"1"}}`, `{"agent":{"depth":}}`,
		`{"agent":{"sandboxed":0}}`, `{"agent":{"sandboxed":True}}`, `{"agent":{"sandboxed":truefalse}}`, `{"sender":{"owner":"true"}}`,
		`{"tool":{"params":{"a":1.0}}}`, `{"tool":{"params":{"a":-1}}}`, `{"tool":{"params":{"a":01}}}`, `{"tool":{"params":{"a":1e1}}}`,
		`{"tool":{"params":{"a":1000000}}}`, `{"tool":{"params":{"a":nul}}}`, `{"tool":{"params":{"a":nulll}}}`, `{"tool":{"params":{"a":null,"a":null}}}`, `{"tool":{"params":{"a":1,"a":2}}}`, `{"tool":{"params":{"a":[]}}}`, `{"tool":{"params":{"a":{}}}}`, `{"environment":{"path":["a",]}}`, `{"environment":{"path":["a" "b"]}}`, `{"environment":{"path":[1]}}`,
		"\xef\xbb\xbf{}", "\f{}", "\u00a0{}", `{/**/}`, `{"id":"` + strings.Repeat("a", maxFastCall) + `"}`,
	} {
		_, ok := decodeCallFast([]byte(data))
		assert.False(t, ok, "%s", data)
	}
}

// Every document that differs from a plain one in one byte, or ends early, is read alike
// or left to the library.
func TestFastDecoderAgreesWithTheLibraryAfterAnyChangeOfOneByte(t *testing.T) {
	t.Parallel()
	document := []byte(`{"id":"4","agent":{"id":"m","depth":1,"sandboxed":true},"tool":{"name":"x","params":{"a":"b\n\u0026","c":false,"d":null,"e":10}},
"environment":{"path":["/"],"executables":{"r":"/r"}}}`)
	require.True(t, decodedAlike(t, document))
	for at := range document {
		decodedAlike(t, document[:at])
		for _, c := range []byte("\x00\t\n \"\\{}[]:,019-.etfnuU/a\x7f\x80") {
			changed := bytes.Clone(document)
			changed[at] = c
			decodedAlike(t, changed)
			decodedAlike(t, append(append(bytes.Clone(document[:at]), c), document[at:]...))
		}
		decodedAlike(t, append(bytes.Clone(document[:at]), document[at+1:]...))
	}
}

func FuzzFastDecoder(f *testing.F) {
	f.Add([]byte(fullFastCall))
	lines := bufio.NewScanner(strings.NewReader(fullFastCall))
	for lines.Scan() {
		f.Add([]byte("{" + strings.Trim(strings.TrimSpace(lines.Text()), "{},") + "}"))
	}
	f.Fuzz(func(t *testing.T, data []byte) { decodedAlike(t, data) })
}
