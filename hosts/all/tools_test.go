package all_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/hosts"
	"gavel/hosts/all"
)

// shapes are payloads of hosts, with TOOL and INPUT in them.
func shapes() map[string]string {
	claude := func(more string) string {
		return `{"session_id":"s","transcript_path":"/h/t.jsonl","cwd":"/w","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"TOOL","tool_input":INPUT,"tool_use_id":"u"` + more + `}`
	}
	return map[string]string{
		"claude-code": claude(""),
		"qwen-code":   claude(`,"timestamp":"2026-01-01T00:00:00.000Z"`),
		"droid":       strings.Replace(claude(""), "/h/t.jsonl", "/h/.factory/sessions/t.jsonl", 1),
		"codex":       claude(`,"turn_id":"t","model":"m"`),
		"gemini-cli":  `{"session_id":"s","transcript_path":"/t","cwd":"/w","hook_event_name":"BeforeTool","timestamp":"2026-01-01T00:00:00.000Z","tool_name":"TOOL","tool_input":INPUT}`,
		"copilot-cli": `{"sessionId":"s","timestamp":1767225600000,"cwd":"/w","toolName":"TOOL","toolArgs":INPUT}`,
		"vscode":      `{"timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","sessionId":"s","hookEventName":"PreToolUse","transcript_path":"/t","tool_name":"TOOL","tool_input":INPUT,"tool_use_id":"u"}`,
		"cursor":      `{"conversation_id":"c","generation_id":"g","workspace_roots":["/w"],"hook_event_name":"preToolUse","cursor_version":"3.9.16","cwd":"","tool_name":"TOOL","tool_input":INPUT,"tool_use_id":"u"}`,
		"opencode":    `{"input":{"tool":"TOOL","sessionID":"s","callID":"c"},"output":{"args":INPUT},"ctx":{"directory":"/w","worktree":"/w","parents":[],"mcp":["my-srv"]}}`,
		"openclaw":    `{"event":{"toolName":"TOOL","params":INPUT},"ctx":{"agentId":"main","sessionKey":"agent:main:main","sessionId":"s","cwd":"/w"}}`,
		"cline": `{"clineVersion":"3.0.65","hookName":"tool_call","timestamp":"2026-01-01T00:00:00.000Z","taskId":"s","sessionContext":{"rootSessionId":"s"},"workspaceRoots":["/w"],"userId":"u",` +
			`"agent_id":"a","parent_agent_id":null,"iteration":1,"tool_call":{"id":"c","name":"TOOL","input":INPUT},"preToolUse":{"toolName":"TOOL","parameters":{}}}`,
	}
}

// readCall reads the payload of a host for a call of a tool.
func readCall(t *testing.T, translators all.List, host, tool, input string) hosts.Request {
	t.Helper()
	p, err := hosts.ReadPayload([]byte(strings.NewReplacer("TOOL", tool, "INPUT", input).Replace(shapes()[host])))
	require.NoError(t, err)
	translator, err := translators.Detect(p, host)
	require.NoError(t, err)
	r, err := translator.Read(p)
	require.NoError(t, err)
	return r
}

// checkJudgedAs checks which tools of Gavel the tools of hosts are judged as.
func checkJudgedAs(t *testing.T, cases []struct{ host, tool, input, want string }) {
	t.Helper()
	translators := all.Hosts()
	for _, c := range cases {
		t.Run(c.host+" "+c.tool, func(t *testing.T) {
			r := readCall(t, translators, c.host, c.tool, c.input)
			var names []string
			for _, call := range r.Calls {
				names = append(names, call.Tool.Name)
				assert.Empty(t, call.Tool.Unread)
			}
			assert.Equal(t, c.want, strings.Join(names, " "))
		})
	}
}

func TestEachToolOfClaudeCodeAndCodexIsJudgedAsGavelsTool(t *testing.T) {
	t.Parallel()
	checkJudgedAs(t, []struct{ host, tool, input, want string }{
		{"claude-code", "Bash", `{"command":"ls"}`, "exec"},
		{"claude-code", "PowerShell", `{"command":"ls"}`, "exec"},
		{"claude-code", "Monitor", `{"command":"ls"}`, "exec"},
		{"claude-code", "TaskStop", `{"task_id":"1"}`, "process"},
		{"claude-code", "Read", `{"file_path":"/w/a"}`, "read"},
		{"claude-code", "Glob", `{"pattern":"*.go"}`, "read"},
		{"claude-code", "Grep", `{"pattern":"x","path":"/w/src"}`, "read"},
		{"claude-code", "Write", `{"file_path":"/w/a","content":"x"}`, "write"},
		{"claude-code", "Edit", `{"file_path":"/w/a","old_string":"x","new_string":"y","replace_all":false}`, "edit"},
		{"claude-code", "NotebookEdit", `{"notebook_path":"/w/a.ipynb","new_source":"x"}`, "edit"},
		{"claude-code", "WebFetch", `{"url":"https://a.test/","prompt":"p"}`, "web_fetch"},
		{"claude-code", "WebSearch", `{"query":"q"}`, "web_search"},
		{"claude-code", "Agent", `{"description":"d","prompt":"p","subagent_type":"general-purpose"}`, "sessions_spawn"},
		{"claude-code", "Task", `{"description":"d","prompt":"p","subagent_type":"general-purpose"}`, "sessions_spawn"},
		{"claude-code", "Skill", `{"skill":"s"}`, "sessions_spawn"},
		{"claude-code", "Workflow", `{"script":"x"}`, "sessions_spawn"},
		{"claude-code", "ToolSearch", `{"query":"q"}`, "ToolSearch"},
		{"claude-code", "mcp__my-srv__query", `{"q":1}`, "mcp:my-srv/query"},
		{"codex", "Bash", `{"command":"ls"}`, "exec"},
		{"codex", "Bash", `{"command":"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF"}`, "apply_patch"},
		{"codex", "apply_patch", `{"command":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}`, "apply_patch"},
		{"codex", "view_image", `{"path":"/w/a.png"}`, "read"},
		{"codex", "spawn_agent", `{"message":"m"}`, "sessions_spawn"},
		{"codex", "mcp__srv__query", `{"q":1}`, "mcp:srv/query"},
	})
}

func TestEachToolOfGeminiQwenAndCopilotIsJudgedAsGavelsTool(t *testing.T) {
	t.Parallel()
	checkJudgedAs(t, []struct{ host, tool, input, want string }{
		{"gemini-cli", "run_shell_command", `{"command":"ls"}`, "exec"},
		{"gemini-cli", "read_background_output", `{"pid":1}`, "process"},
		{"gemini-cli", "read_file", `{"file_path":"/w/a"}`, "read"},
		{"gemini-cli", "list_directory", `{"dir_path":"/w"}`, "read"},
		{"gemini-cli", "glob", `{"pattern":"*.go"}`, "read"},
		{"gemini-cli", "grep_search", `{"pattern":"x"}`, "read"},
		{"gemini-cli", "write_file", `{"file_path":"/w/a","content":"x"}`, "write"},
		{"gemini-cli", "replace", `{"file_path":"/w/a","instruction":"i","old_string":"x","new_string":"y"}`, "edit"},
		{"gemini-cli", "web_fetch", `{"prompt":"https://a.test/ and https://b.test/"}`, "web_fetch web_fetch"},
		{"gemini-cli", "google_web_search", `{"query":"q"}`, "web_search"},
		{"gemini-cli", "invoke_agent", `{"agent_name":"a","prompt":"p"}`, "sessions_spawn"},
		{"qwen-code", "run_shell_command", `{"command":"ls","is_background":false}`, "exec"},
		{"qwen-code", "write_file", `{"file_path":"/w/a","content":"x"}`, "write"},
		{"qwen-code", "agent", `{"description":"d","prompt":"p","subagent_type":"general-purpose"}`, "sessions_spawn"},
		{"copilot-cli", "bash", `{"command":"ls"}`, "exec"},
		{"copilot-cli", "powershell", `{"command":"ls"}`, "exec"},
		{"copilot-cli", "read_bash", `{"shellId":"1","delay":1}`, "process"},
		{"copilot-cli", "write_bash", `{"shellId":"1","input":"x","delay":1}`, "process"},
		{"copilot-cli", "stop_bash", `{"shellId":"1"}`, "process"},
		{"copilot-cli", "view", `{"path":"/w/a"}`, "read"},
		{"copilot-cli", "grep", `{"pattern":"x","paths":["/w/a","/w/b"]}`, "read read"},
		{"copilot-cli", "glob", `{"pattern":"*.go"}`, "read"},
		{"copilot-cli", "create", `{"path":"/w/a","file_text":"x"}`, "write"},
		{"copilot-cli", "edit", `{"path":"/w/a","old_str":"x","new_str":"y"}`, "edit"},
		{"copilot-cli", "web_fetch", `{"url":"https://a.test/"}`, "web_fetch"},
		{"copilot-cli", "task", `{"description":"d","prompt":"p","agent_type":"general-purpose"}`, "sessions_spawn"},
		{"copilot-cli", "srv-query", `{"q":1}`, "mcp:srv/query"},
	})
}

func TestEachToolOfAnotherHostIsJudgedAsGavelsTool(t *testing.T) {
	t.Parallel()
	checkJudgedAs(t, []struct{ host, tool, input, want string }{
		{"vscode", "runInTerminal", `{"command":"ls"}`, "exec"},
		{"vscode", "editFiles", `{"files":["a","b"]}`, "edit edit"},
		{"cursor", "Grep", `{"pattern":"x","file_path":"/w/a"}`, "read"},
		{"cursor", "Write", `{"file_path":"/w/a","content":"x"}`, "write"},
		{"cursor", "StrReplace", `{"file_path":"/w/a","old_string":"x","new_string":"y"}`, "edit"},
		{"cursor", "Task", `{"prompt":"p"}`, "sessions_spawn"},
		{"opencode", "bash", `{"command":"ls"}`, "exec"},
		{"opencode", "read", `{"filePath":"/w/a"}`, "read"},
		{"opencode", "grep", `{"pattern":"x"}`, "read"},
		{"opencode", "write", `{"filePath":"/w/a","content":"x"}`, "write"},
		{"opencode", "edit", `{"filePath":"/w/a","oldString":"x","newString":"y"}`, "edit"},
		{"opencode", "webfetch", `{"url":"https://a.test/","format":"text"}`, "web_fetch"},
		{"opencode", "task", `{"description":"d","prompt":"p","subagent_type":"general"}`, "sessions_spawn"},
		{"opencode", "my-srv_query", `{"q":1}`, "mcp:my-srv/query"},
		{"openclaw", "exec", `{"command":"ls"}`, "exec"},
		{"openclaw", "srv__query", `{"q":1}`, "mcp:srv/query"},
		{"cline", "run_commands", `{"commands":["ls","id"]}`, "exec exec"},
		{"cline", "read_files", `{"files":[{"path":"/w/a"},{"path":"/w/b"}]}`, "read read"},
		{"cline", "editor", `{"path":"/w/a","old_text":"x","new_text":"y"}`, "edit"},
		{"cline", "fetch_web_content", `{"requests":[{"url":"https://a.test/","prompt":"p"}]}`, "web_fetch"},
		{"cline", "spawn_agent", `{"systemPrompt":"s","task":"t"}`, "sessions_spawn"},
		{"droid", "Execute", `{"command":"ls"}`, "exec"},
		{"droid", "Create", `{"file_path":"/w/a","content":"x"}`, "write"},
	})
}

// A tool of the table whose parameters a host has renamed is never judged as if it had none.
func TestAToolWithOtherParametersIsUnreadInEveryHost(t *testing.T) {
	translators := all.Hosts()
	for host, tool := range map[string]string{"claude-code": "Write", "qwen-code": "write_file", "droid": "Create", "codex": "Bash", "gemini-cli": "write_file", "copilot-cli": "create",
		"vscode": "runInTerminal", "cursor": "Write", "opencode": "write", "openclaw": "exec", "cline": "run_commands"} {
		p, err := hosts.ReadPayload([]byte(strings.NewReplacer("TOOL", tool, "INPUT", `{"renamed":"/etc/passwd"}`).Replace(shapes()[host])))
		require.NoError(t, err)
		h, err := translators.Detect(p, host)
		require.NoError(t, err, host)
		r, err := h.Read(p)
		require.NoError(t, err, host)
		require.NotEmpty(t, r.Calls, host)
		for _, call := range r.Calls {
			assert.NotEmpty(t, call.Tool.Unread, host)
		}
	}
}
