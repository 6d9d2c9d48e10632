package spelling_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/analyzer/spelling"
)

func TestToolsOfMCPServersHaveOneName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		given, want string
	}{
		"the name itself":                          {"mcp:github/create_issue", "mcp:github/create_issue"},
		"as hosts write it":                        {"mcp__github__create_issue", "mcp:github/create_issue"},
		"case and blanks":                          {" MCP__GitHub__Create_Issue\t", "mcp:github/create_issue"},
		"a server with a hyphen":                   {"mcp__demo-srv__query", "mcp:demo_srv/query"},
		"a server with a dot, a blank and a colon": {"mcp:plugin:claude.ai Mail/send", "mcp:plugin_claude_ai_mail/send"},
		"a tool with more underscores":             {"mcp__a__b__c", "mcp:a/b__c"},
		"a tool with a slash":                      {"mcp:a/b/c", "mcp:a/b_c"},
		"a star is not a pattern in a call":        {"mcp:github/*", "mcp:github/_"},
		"a look-alike letter is not a letter":      {"mcp__\u212aey__get", "mcp:_ey/get"},
		"no tool":                                  {"mcp__github", "mcp:github"},
		"nothing":                                  {"mcp:", "mcp:"},
	} {
		got, ok := spelling.MCP(c.given)
		assert.True(t, ok, name)
		assert.Equal(t, c.want, got, name)
	}
	for _, other := range []string{"", "mcp", "mcp_github_get", "mcp-github", "xmcp__a__b", "read", "\u043ccp:a/b"} {
		_, ok := spelling.MCP(other)
		assert.False(t, ok, other)
	}
}
