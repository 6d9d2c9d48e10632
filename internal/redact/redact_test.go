package redact_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/redact"
)

func TestParameters(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		params, want string
		hide, at     []string
	}{
		"nothing to hide":              {`{"command":"git push origin main","workdir":"/srv/app"}`, `{"command":"git push origin main","workdir":"/srv/app"}`, nil, []string{}},
		"the content of write":         {`{"path":"a","content":"secret"}`, `{"path":"a","content":"[REDACTED: 6 chars]"}`, nil, []string{"/content"}},
		"code points are counted":      {`{"content":"aé😀"}`, `{"content":"[REDACTED: 3 chars]"}`, nil, []string{"/content"}},
		"the texts of edit":            {`{"edits":[{"oldText":"ab","newText":""}]}`, `{"edits":[{"oldText":"[REDACTED: 2 chars]","newText":"[REDACTED: 0 chars]"}]}`, nil, []string{"/edits/0/newText", "/edits/0/oldText"}},
		"texts at the top":             {`{"oldText":"ab","new_text":"c"}`, `{"oldText":"[REDACTED: 2 chars]","new_text":"[REDACTED: 1 chars]"}`, nil, []string{"/new_text", "/oldText"}},
		"the input of apply_patch":     {`{"input":"*** Begin Patch"}`, `{"input":"[REDACTED: 15 chars]"}`, nil, []string{"/input"}},
		"content that is not text":     {`{"content":{"a":[1]}}`, `{"content":"[REDACTED: 9 chars]"}`, nil, []string{"/content"}},
		"values of variables":          {`{"env":{"HOME":"/root","A":""}}`, `{"env":{"A":"[REDACTED: 0 chars]","HOME":"[REDACTED: 5 chars]"}}`, nil, []string{"/env/A", "/env/HOME"}},
		"variables as a list":          {`{"env":["A=1"]}`, `{"env":"[REDACTED: 7 chars]"}`, nil, []string{"/env"}},
		"a header in a command":        {`{"command":"curl -H 'Authorization: Bearer abc123' https://e.example"}`, `{"command":"curl -H 'Authorization: Bearer **REDACTED**' https://e.example"}`, nil, []string{"/command"}},
		"a password in a URL":          {`{"url":"https://u:hunter2@e.example/"}`, `{"url":"https://u:**REDACTED**@e.example/"}`, nil, []string{"/url"}},
		"a key before a command":       {`{"command":"API_KEY=abc ./run"}`, `{"command":"API_KEY=**REDACTED** ./run"}`, nil, []string{"/command"}},
		"a token option":               {`{"command":"x --token abc"}`, `{"command":"x --token **REDACTED**"}`, nil, []string{"/command"}},
		"a token option in words":      {`{"argv":["x","--token","abc"]}`, `{"argv":["x","--token","**REDACTED**"]}`, nil, []string{"/argv/2"}},
		"headers":                      {`{"headers":{"Accept":"a/b","X-Api-Key":"k"}}`, `{"headers":{"Accept":"a/b","X-Api-Key":"[REDACTED: 1 chars]"}}`, nil, []string{"/headers/X-Api-Key"}},
		"a member named as a secret":   {`{"password":"abc"}`, `{"password":"[REDACTED: 3 chars]"}`, nil, []string{"/password"}},
		"a pointer of the policy":      {`{"customer":{"name":"A","id":7}}`, `{"customer":{"name":"[REDACTED: 1 chars]","id":"[REDACTED: 1 chars]"}}`, []string{"/customer/name", "/customer/id", "/nobody"}, []string{"/customer/id", "/customer/name"}},
		"a pointer into a list":        {`{"list":["a","b"]}`, `{"list":["a","[REDACTED: 1 chars]"]}`, []string{"/list/1"}, []string{"/list/1"}},
		"a pointer with escaped parts": {`{"a/b":{"c~d":"x"}}`, `{"a/b":{"c~d":"[REDACTED: 1 chars]"}}`, []string{"/a~1b/c~0d"}, []string{"/a~1b/c~0d"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var params map[string]any
			require.NoError(t, json.Unmarshal([]byte(c.params), &params))
			shown, at := redact.New().Parameters(params, c.hide)
			text, err := json.Marshal(shown)
			require.NoError(t, err)
			assert.JSONEq(t, c.want, string(text))
			assert.Equal(t, c.at, at)
			before, err := json.Marshal(params)
			require.NoError(t, err)
			assert.JSONEq(t, c.params, string(before), "the parameters stay as they are")
		})
	}
}
