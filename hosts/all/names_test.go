package all_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/hosts"
	"gavel/hosts/all"
)

// A search whose pattern names a file reads that file too, on every host that has such a tool.
func TestASearchForANameReadsTheFileOfThatName(t *testing.T) {
	translators := all.Hosts()
	for _, c := range []struct{ host, tool, input, want string }{
		{"claude-code", "Grep", `{"pattern":"x","glob":"**/.env"}`, "/w /w/.env"},
		{"claude-code", "Grep", `{"pattern":"x","path":"/w/conf","glob":".env"}`, "/w/conf /w/conf/.env"},
		{"claude-code", "Grep", `{"pattern":"x","glob":"a/b/.env"}`, "/w /w/a/b/.env"},
		{"claude-code", "Grep", `{"pattern":"x","glob":"a/**/.env"}`, "/w /w/a/.env"},
		{"claude-code", "Grep", `{"pattern":"x","glob":"*.go .env,/key"}`, "/w /w/.env /w/key"},
		{"claude-code", "Grep", `{"pattern":"x","glob":"{.env,*.go}"}`, "/w /w/.env"},
		{"claude-code", "Grep", `{"pattern":"x","glob":"!.env"}`, "/w"},
		{"claude-code", "Grep", `{"pattern":"x","glob":"*.{go,md}"}`, "/w"},
		{"claude-code", "Grep", `{"pattern":"x","glob":"**/*"}`, "/w"},
		{"claude-code", "Glob", `{"pattern":"**/.env"}`, "/w /w/.env"},
		{"claude-code", "Glob", `{"pattern":"a/b/.env"}`, "/w/a/b /w/a/b/.env"},
		{"claude-code", "Glob", `{"pattern":"/etc/**/shadow"}`, "/etc /etc/shadow"},
		{"claude-code", "Glob", `{"pattern":"**/*.go"}`, "/w"},
		{"gemini-cli", "glob", `{"pattern":"**/.env"}`, "/w /w/.env"},
		{"gemini-cli", "grep_search", `{"pattern":"x","include_pattern":"**/.env"}`, "/w /w/.env"},
		{"qwen-code", "glob", `{"pattern":"**/.env"}`, "/w /w/.env"},
		{"qwen-code", "grep_search", `{"pattern":"x","glob":"**/.env"}`, "/w /w/.env"},
		{"opencode", "glob", `{"pattern":"**/.env"}`, "/w /w/.env"},
		{"opencode", "grep", `{"pattern":"x","include":".env"}`, "/w /w/.env"},
		{"copilot-cli", "glob", `{"pattern":"**/.env","paths":["/w/a","/w/b"]}`, "/w/a /w/a/.env /w/b /w/b/.env"},
		{"copilot-cli", "grep", `{"pattern":"x","glob":"**/.env"}`, "/w /w/.env"},
		{"cursor", "Grep", `{"pattern":"x","glob":"**/.env"}`, "/w /w/.env"},
		{"cursor", "Grep", `{"pattern":"x","path":"/etc"}`, "/etc"},
		{"droid", "Grep", `{"pattern":"x","glob_pattern":"**/.env"}`, "/w /w/.env"},
		{"droid", "Glob", `{"patterns":["**/.env","*.go"]}`, "/w /w/.env /w"},
		{"vscode", "file_search", `{"query":"**/.env"}`, "/w /w/.env"},
		{"vscode", "grep_search", `{"query":"x","isRegexp":false,"includePattern":"**/.env"}`, "/w /w/.env"},
	} {
		t.Run(c.host+" "+c.input, func(t *testing.T) {
			r := readCall(t, translators, c.host, c.tool, c.input)
			var paths []string
			for _, call := range r.Calls {
				assert.Equal(t, "read", call.Tool.Name)
				assert.Empty(t, call.Tool.Unread)
				paths = append(paths, call.Tool.Params["path"].(string))
			}
			assert.Equal(t, c.want, strings.Join(paths, " "))
		})
	}
}

func TestASearchThatCannotBeReadIsUnread(t *testing.T) {
	translators := all.Hosts()
	for about, c := range map[string][3]string{
		"too many names":             {"claude-code", "Grep", `{"pattern":"x","glob":"{a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u}"}`},
		"two different directories":  {"cursor", "Grep", `{"pattern":"x","file_path":"/w","path":"/etc"}`},
		"a pattern that is a number": {"qwen-code", "grep_search", `{"pattern":"x","glob":7}`},
	} {
		t.Run(about, func(t *testing.T) {
			p, err := hosts.ReadPayload([]byte(strings.NewReplacer("TOOL", c[1], "INPUT", c[2]).Replace(shapes()[c[0]])))
			require.NoError(t, err)
			host, err := translators.Detect(p, c[0])
			require.NoError(t, err)
			r, err := host.Read(p)
			require.NoError(t, err)
			require.Len(t, r.Calls, 1)
			assert.NotEmpty(t, r.Calls[0].Tool.Unread)
		})
	}
}
