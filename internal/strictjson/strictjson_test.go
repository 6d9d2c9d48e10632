package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/internal/strictjson"
)

// fullCall is a call with every member.
const fullCall = `{
  "id": "42",
  "agent": {"id": "main", "parents": [{"id": "root"}], "depth": 1, "maxDepth": 2, "sandboxed": false},
  "session": {"key": "k", "exec": {"security": "allowlist", "ask": "always", "host": "node", "node": "mac"}, "elevated": "off"},
  "model": {"provider": "openai", "id": "gpt"},
  "sender": {"channel": "discord", "id": "1", "name": "A", "username": "a", "tag": "a#1", "from": "a@b", "e164": "+1", "owner": true},
  "group": {"channel": "discord", "account": "x", "id": "G"},
  "message": {"inline": {"elevated": "full"}},
  "tool": {"name": "bash", "plugin": "p", "params": {"command": "ls", "n": 3, "deep": {"x": [null, true]}}},
  "environment": {"cwd": "/srv", "home": "/home/u", "path": ["/usr/bin"], "platform": "linux", "shell": "bash",
                  "executables": {"rg": "/usr/bin/rg"}, "plugins": {"lobster": ["lobster"]}}
}`

// refusals lists documents that are not calls, with the place and the words of
// the refusal. The fuzz test starts from them too.
type refusal struct {
	name, data string
	line, col  int
	path, text string
}

func refusals() []refusal {
	deep := `{"tool":{"params":{"a":` + strings.Repeat("[", 62) + strings.Repeat("]", 62) + `}}}`
	return []refusal{
		{"an unknown member is refused with the nearest name", `{"agent":{"idd":"a"}}`, 1, 11, "/agent/idd", `unknown member "idd"; did you mean "id"?`},
		{"an unknown member near nothing is refused with every name", `{"model":{"temperature":1}}`, 1, 11, "/model/temperature", "the members here are provider, id"},
		{"an unknown member that belongs elsewhere is refused with its place", `{"agent":{"workspace":"/a"}}`, 1, 11, "/agent/workspace", `unknown member "workspace"; did you mean /environment/workspace?`},
		{"another case is another name", `{"Agent":{}}`, 1, 2, "/Agent", `unknown member "Agent"; did you mean "agent"?`},
		{"a duplicate member is refused", `{"agent":{"id":"a"},"agent":{}}`, 1, 21, "/agent", `duplicate member "agent"`},
		{"a duplicate by an escape is refused", `{"agent":{"id":"a","\u0069d":"b"}}`, 1, 20, "/agent/id", `duplicate member "id"`},
		{"a duplicate deep in parameters is refused", `{"tool":{"params":{"x":{"a":1,"a":2}}}}`, 1, 31, "/tool/params/x/a", "duplicate"},
		{"a duplicate in a map is refused", `{"environment":{"executables":{"rg":"/a","rg":"/b"}}}`, 1, 42, "/environment/executables/rg", "duplicate"},
		{"bytes after the document are refused", `{"agent":{"id":"a"}} x`, 1, 22, "", "there are bytes after the document"},
		{"a second document is refused", "{\"agent\":{\"id\":\"a\"}}\n{}", 2, 1, "", "there are bytes after the document"},
		{"a document cut short is refused", `{"agent":{"id":"a"}`, 1, 20, "", "ends too early"},
		{"nothing is not a document", ``, 1, 1, "", "the document is empty"},
		{"white space is not a document", " \n ", 2, 2, "", "the document is empty"},
		{"invalid UTF-8 is refused", "{\"agent\":{\"id\":\"a\xff\"}}", 1, 18, "/agent/id", "invalid UTF-8"},
		{"a lone surrogate is refused", `{"agent":{"id":"\ud800"}}`, 1, 17, "/agent/id", "surrogate"},
		{"a raw line feed in a string is refused", "{\"agent\":{\"id\":\"a\nb\"}}", 1, 18, "/agent/id", "non-control"},
		{"a byte order mark is refused", "\xef\xbb\xbf{}", 1, 1, "", "the document begins with a byte order mark; save it as UTF-8 without one"},
		{"a command is not a call", `git status`, 1, 1, "", "this is not JSON: invalid character 'g' at start of value; send one JSON object"},
		{"a comment is refused", `{/**/}`, 1, 2, "", "invalid character"},
		{"single quotes are refused", `{'a':1}`, 1, 2, "", "invalid character"},
		{"NaN is refused", `{"tool":{"params":{"n":NaN}}}`, 1, 24, "/tool/params/n", "invalid character"},
		{"a leading zero is refused", `{"tool":{"params":{"n":01}}}`, 1, 25, "/tool/params", "invalid character"},
		{"a trailing comma is refused", `{"agent":{"id":"a",}}`, 1, 19, "/agent", "invalid character"},
		{"a number too large is not infinity", `{"tool":{"params":{"x":1e999}}}`, 1, 24, "/tool/params/x", "not a finite number"},
		{"a fraction is not a whole number", `{"agent":{"id":"a","depth":1.5}}`, 1, 28, "/agent/depth", "not a whole number"},
		{"a number is not a string", `{"agent":{"id":7}}`, 1, 16, "/agent/id", "want a string, found a number"},
		{"a string is not a truth value", `{"agent":{"sandboxed":"no"}}`, 1, 23, "/agent/sandboxed", "want true or false, found a string"},
		{"an object is not an array", `{"agent":{"parents":{}}}`, 1, 21, "/agent/parents", "want an array, found an object"},
		{"an array is not a call", `[]`, 1, 1, "", "want an object, found an array; send one object, without the brackets around it"},
		{"null is not a call", `null`, 1, 1, "", "want an object, found null"},
		{"null is not an agent", `{"agent":null}`, 1, 10, "/agent", "want an object, found null"},
		{"null is not a string", `{"agent":{"id":null}}`, 1, 16, "/agent/id", "want a string, found null"},
		{"null does not take executables back", `{"environment":{"executables":null}}`, 1, 31, "/environment/executables", "want an object, found null"},
		{"null is not an element", `{"agent":{"id":"a","parents":[null]}}`, 1, 31, "/agent/parents/0", "want an object, found null"},
		{"null is not a map value", `{"environment":{"executables":{"rg":null}}}`, 1, 37, "/environment/executables/rg", "want a string, found null"},
		{"null is not a set of parameters", `{"tool":{"params":null}}`, 1, 19, "/tool/params", "found null"},
		{"65 levels are refused", deep, 1, 85, "", "nested deeper than 64"},
		{"the place is counted in lines and characters", "{\n  \"agent\": {\"ïd\": \"ä\", \"x\": 1}\n}", 2, 13, "/agent/ïd", "unknown member"},
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range refusals() {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var call gavel.Call
			err := strictjson.Unmarshal([]byte(tc.data), &call)
			var refused *strictjson.Error
			require.ErrorAs(t, err, &refused)
			assert.Contains(t, err.Error(), tc.text)
			assert.Equal(t, tc.path, refused.Path)
			assert.Equal(t, [2]int{tc.line, tc.col}, [2]int{refused.Line, refused.Column}, "line and column")
		})
	}
}

func TestUnmarshalAccepts(t *testing.T) {
	t.Parallel()
	t.Run("a call with every member", func(t *testing.T) {
		t.Parallel()
		var strict, plain gavel.Call
		require.NoError(t, strictjson.Unmarshal([]byte(fullCall), &strict))
		require.NoError(t, json.Unmarshal([]byte(fullCall), &plain))
		assert.Equal(t, plain, strict)
		assert.Equal(t, 3.0, strict.Tool.Params["n"], "numbers are float64")
	})
	t.Run("64 levels", func(t *testing.T) {
		t.Parallel()
		var v any
		require.NoError(t, strictjson.Unmarshal([]byte(strings.Repeat("[", 64)+strings.Repeat("]", 64)), &v))
	})
	t.Run("brackets in strings are not levels", func(t *testing.T) {
		t.Parallel()
		var v any
		require.NoError(t, strictjson.Unmarshal([]byte(`"\"`+strings.Repeat("[{", 100)+`\\"`), &v))
	})
	t.Run("null where a member is optional", func(t *testing.T) {
		t.Parallel()
		var call gavel.Call
		data := `{"agent":{"id":"null","depth":null,"sandboxed":null},"sender":null,"environment":null}`
		require.NoError(t, strictjson.Unmarshal([]byte(data), &call))
		assert.Nil(t, call.Agent.Sandboxed)
		assert.Nil(t, call.Sender)
	})
	t.Run("null inside parameters", func(t *testing.T) {
		t.Parallel()
		var call gavel.Call
		require.NoError(t, strictjson.Unmarshal([]byte(`{"tool":{"params":{"a":null,"b":[null]}}}`), &call))
		assert.Equal(t, map[string]any{"a": nil, "b": []any{nil}}, call.Tool.Params)
	})
}

func TestUnmarshalKeepsNoReference(t *testing.T) {
	t.Parallel()
	data := []byte(fullCall)
	var call, want gavel.Call
	require.NoError(t, strictjson.Unmarshal(data, &call))
	require.NoError(t, json.Unmarshal([]byte(fullCall), &want))
	for i := range data {
		data[i] = 'x'
	}
	assert.Equal(t, want, call, "a pooled buffer may be reused")
}

func TestErrorsAreShort(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("é", 1<<19)
	for what, data := range map[string]string{
		"unknown name":    `{"` + name + `":1}`,
		"duplicate name":  `{"tool":{"params":{"` + name + `":1,"` + name + `":1}}}`,
		"under long name": `{"tool":{"params":{"` + name + `":1e999}}}`,
	} {
		var call gavel.Call
		err := strictjson.Unmarshal([]byte(data), &call)
		require.Error(t, err, what)
		assert.Less(t, len(err.Error()), 1200, what)
	}
}

func TestDecodeCall(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, data string
		needTool   bool
		path       string // of the input error; "" means none
	}{
		{"a call with a tool", `{"agent":{"id":"main"},"tool":{"name":"read"}}`, true, ""},
		{"a question without a tool", `{"agent":{"id":"main"}}`, false, ""},
		{"an empty tool is not a tool", `{"agent":{"id":"main"},"tool":{}}`, false, ""},
		{"a missing agent", `{"tool":{"name":"read"}}`, true, "/agent/id"},
		{"a blank agent", `{"agent":{"id":" "},"tool":{"name":"read"}}`, true, "/agent/id"},
		{"a missing tool", `{"agent":{"id":"main"}}`, true, "/tool/name"},
		{"a tool where none belongs", `{"agent":{"id":"main"},"tool":{"name":"read"}}`, false, "/tool"},
		{"parameters where no tool belongs", `{"agent":{"id":"main"},"tool":{"params":{}}}`, false, "/tool"},
		{"a blank parent", `{"agent":{"id":"a","parents":[{"id":"b"},{}]},"tool":{"name":"read"}}`, true, "/agent/parents/1/id"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			call, err := strictjson.DecodeCall([]byte(tc.data), tc.needTool)
			if tc.path == "" {
				require.NoError(t, err)
				assert.Equal(t, "main", call.Agent.ID)
				return
			}
			var input *gavel.InputError
			require.ErrorAs(t, err, &input)
			assert.Equal(t, tc.path, input.Path)
			assert.Zero(t, call, "a refused call is empty")
		})
	}
}

func TestRT01CallWithTooManyValuesIsRefused(t *testing.T) {
	t.Parallel()
	deep := func(n int) string {
		return `{"agent":{"id":"a"},"tool":{"name":"web_search","params":{"query":[` + strings.TrimSuffix(strings.Repeat("[[[[1]]]],", n), ",") + `]}}}`
	}
	_, err := strictjson.DecodeCall([]byte(deep(3_000)), true)
	require.NoError(t, err)
	for what, data := range map[string]string{
		"brackets": deep(90_000),
		"members":  `{"agent":{"id":"a"},"tool":{"name":"x","params":{"q":[` + strings.Repeat("1,", 20_000) + `1]}}}`,
		"cut off":  `{"agent":{"id":"a"},"tool":{"name":"x","params":{"q":[` + strings.Repeat("{},", 20_000),
	} {
		_, err := strictjson.DecodeCall([]byte(data), true)
		var refused *strictjson.Error
		require.ErrorAs(t, err, &refused, what)
		assert.True(t, refused.TooLarge, what)
		assert.Contains(t, refused.Message, "more than 20000 values", what)
		_, err = strictjson.DecodeCalls([]byte(`{"calls":[`+data+`]}`), 100)
		require.ErrorAs(t, err, &refused, what)
		assert.True(t, refused.TooLarge, what)
	}
	_, err = strictjson.DecodeCall([]byte(`{"agent":{"id":"a"},"tool":{"name":"x","params":{"q":"`+strings.Repeat("[,{", 100_000)+`"}}}`), true)
	require.NoError(t, err, "what is in a string is not a value")
}

func TestDecodeCalls(t *testing.T) {
	t.Parallel()
	const one = `{"agent":{"id":"main"},"tool":{"name":"read"}}`
	list := func(calls ...string) []byte { return []byte(`{"calls":[` + strings.Join(calls, ",") + `]}`) }

	t.Run("as many as allowed", func(t *testing.T) {
		t.Parallel()
		calls, err := strictjson.DecodeCalls(list(one, one), 2)
		require.NoError(t, err)
		assert.Len(t, calls, 2)
	})
	t.Run("one more than allowed", func(t *testing.T) {
		t.Parallel()
		_, err := strictjson.DecodeCalls(list(one, one, one), 2)
		require.ErrorIs(t, err, strictjson.ErrTooManyCalls)
	})
	for name, data := range map[string][]byte{
		"no calls":      list(),
		"no list":       []byte(`{}`),
		"an empty call": list(one, "{}"),
	} {
		t.Run(name+" is an input error", func(t *testing.T) {
			t.Parallel()
			_, err := strictjson.DecodeCalls(data, 2)
			var input *gavel.InputError
			require.ErrorAs(t, err, &input)
			assert.True(t, strings.HasPrefix(input.Path, "/calls"), input.Path)
		})
	}
	for name, tc := range map[string]struct {
		data []byte
		path string
		text string
	}{
		"an unknown member":   {list(one, `{"agent":{"idd":"x"}}`), "/calls/1/agent/idd", `did you mean "id"?`},
		"a duplicate member":  {list(one, `{"agent":{"id":"x","id":"y"}}`), "/calls/1/agent/id", "duplicate"},
		"null for a call":     {list(one, `null`), "/calls/1", "found null"},
		"null for the list":   {[]byte(`{"calls":null}`), "/calls", "found null"},
		"an object for it":    {[]byte(`{"calls":{}}`), "/calls", "want an array"},
		"a list of its own":   {[]byte(`[` + one + `]`), "", "want an object"},
		"a list cut short":    {[]byte(`{"calls":[` + one), "/calls", "ends too early"},
		"calls said twice":    {[]byte(`{"calls":[` + one + `],"calls":[]}`), "/calls", "duplicate"},
		"bytes after the end": {append(list(one), '}'), "", "bytes after"},
		"a member too many":   {[]byte(`{"calls":[` + one + `],"call":1}`), "/call", `did you mean "calls"?`},
	} {
		t.Run(name+" is refused with its place", func(t *testing.T) {
			t.Parallel()
			_, err := strictjson.DecodeCalls(tc.data, 2)
			var refused *strictjson.Error
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, tc.path, refused.Path)
			assert.Contains(t, err.Error(), tc.text)
		})
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	require.NoError(t, strictjson.Write(&buf, gavel.Decision{
		ID:      "x",
		Reasons: []gavel.Reason{{Layer: "exec", Message: "<bad> \xff"}},
		Exec:    &gavel.Exec{Env: map[string]string{"B": "2", "A": "1"}},
		Layers:  []gavel.Layer{{Layer: "exec", Duration: time.Second}},
	}))
	assert.Equal(t, `{"id":"x","decision":"deny","reasons":[{"layer":"exec","code":"","message":"<bad> `+"\ufffd"+`"}],`+
		`"exec":{"host":"","env":{"A":"1","B":"2"}},"revision":"",`+
		`"layers":[{"layer":"exec","title":"","required":false,"verdict":"","permit":false,"reasons":[],"durationNs":1000000000}]}`+"\n", buf.String())

	require.Error(t, strictjson.Write(&buf, math.Inf(1)), "what JSON cannot say is an error")
	require.ErrorIs(t, strictjson.Write(brokenWriter{}, 1), errBroken)
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }
