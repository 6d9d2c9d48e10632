package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// host is an agent host that is installed and run.
type host struct {
	name, pkg, version, program string
	companion                   string        // another package that it needs, in the same version; or ""
	installScript               string        // in the package; or ""
	cannotRewrite               bool          // it runs the original text of a command even if Gavel rewrites it
	pluginOnly                  bool          // Gavel's plugin for it takes no options
	hangsOnAsk                  bool          // it waits forever for an answer to a question
	slow                        bool          // it takes minutes, so -short skips it
	node                        string        // the version of node that it needs; "" is nodeVersion
	timeout                     time.Duration // for one call; 0 is callTimeout
	// prepare builds files that the host needs besides its package. It may be nil.
	prepare func(context.Context, *runner, host) error
	// setupInstalls says that setup installs Gavel, instead of gavel install.
	setupInstalls bool
	setup         func(fixture) error
	env           func(fixture) []string
	command       func(fixture) []string
	// calls returns the calls of the main agent and of the sub-agent, or nil if the host has no
	// such tool.
	calls func(c cell, dir string) []*call
}

// prompt is the person's message.
const prompt = "make the file"

// write writes a settings file: a string as it is, and any other value as JSON.
func write(name string, value any) error {
	text, ok := value.(string)
	if !ok {
		encoded, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return err
		}
		text = string(encoded) + "\n"
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o600)
}

// mcpServers returns the configuration of two MCP servers in the format that most hosts read. The
// policy denies the second.
func mcpServers(p fixture) object {
	server := object{"command": p.mcp[0], "args": p.mcp[1:]}
	return object{"fs": server, "denied": server}
}

// hostTools describes how the model calls the tools of a host.
type hostTools struct {
	shell    func(command string) *call
	write    func(path string) *call
	mcp      func(server, path string) *call
	subagent *call
	patch    func(name string) *call
	// shellPatch says that the host recognizes a patch in a command of its shell tool.
	shellPatch bool
}

// calls implements host.calls.
func (s hostTools) calls(c cell, dir string) []*call {
	switch c.action {
	case "shell":
		return []*call{s.shell(c.arg), nil}
	case "subagent":
		return []*call{s.subagent, s.shell(c.arg)}
	case "mcp":
		return []*call{s.mcp(c.arg, filepath.Join(dir, marker)), nil}
	case "write":
		return []*call{s.write(filepath.Join(dir, c.arg)), nil}
	case "shellpatch":
		if s.shellPatch {
			return []*call{s.shell("apply_patch <<'EOF'\n" + patchText(c.arg) + "EOF\n"), nil}
		}
	case "patch":
		if s.patch != nil {
			return []*call{s.patch(c.arg), nil}
		}
	}
	return nil
}

func claudeCode() host {
	s := hostTools{
		shell: func(text string) *call { return &call{name: "Bash", args: object{"command": text, "description": "d"}} },
		write: func(path string) *call {
			return &call{name: "Write", args: object{"file_path": path, "content": "hello"}}
		},
		mcp: func(server, path string) *call {
			return &call{name: "mcp__" + server + "__write_file", args: object{"path": path, "content": "hello"}}
		},
		subagent: &call{name: "Agent", args: object{"description": "sub task", "prompt": subtask, "subagent_type": "general-purpose"}},
	}
	return host{name: "claude-code", program: "claude", installScript: "install.cjs", calls: s.calls,
		setup: func(p fixture) error {
			return write(filepath.Join(p.dir, "mcp.json"), object{"mcpServers": mcpServers(p)})
		},
		env: func(p fixture) []string {
			return []string{"ANTHROPIC_BASE_URL=" + p.model, "ANTHROPIC_API_KEY=none", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
		},
		command: func(p fixture) []string {
			return []string{p.bin, "-p", prompt, "--model", "scripted", "--mcp-config", filepath.Join(p.dir, "mcp.json"),
				"--allowedTools", "Bash,Write,Agent,mcp__fs__write_file,mcp__denied__write_file"}
		}}
}

func codex() host {
	s := hostTools{
		shell: func(text string) *call { return &call{name: "exec_command", args: object{"cmd": text}} },
		write: func(path string) *call { return codexPatch(filepath.Base(path)) },
		mcp: func(server, path string) *call {
			return &call{name: "write_file", namespace: "mcp__" + server, args: object{"path": path, "content": "hello"}}
		},
		subagent: &call{name: "spawn_agent", namespace: "multi_agent_v1", args: object{"message": subtask}},
		patch:    codexPatch, shellPatch: true,
	}
	return host{name: "codex", program: "codex", calls: s.calls,
		setup: func(p fixture) error {
			text := "model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\napproval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n" +
				fmt.Sprintf("[model_providers.scripted]\nname = \"scripted\"\nbase_url = %q\nwire_api = \"responses\"\n", p.model+"/v1")
			for name := range mcpServers(p) {
				text += fmt.Sprintf("[mcp_servers.%s]\ncommand = %q\nargs = [\"-mcp\"]\n", name, p.mcp[0])
			}
			return write(filepath.Join(p.home, ".codex", "config.toml"), text)
		},
		env:     func(fixture) []string { return nil },
		command: func(p fixture) []string { return []string{p.bin, "exec", "--skip-git-repo-check", prompt} }}
}

// codexPatch calls Codex's file tool.
func codexPatch(name string) *call {
	return &call{name: "apply_patch", custom: patchText(name)}
}

// patchText returns a patch that adds a file.
func patchText(name string) string {
	return "*** Begin Patch\n*** Add File: " + name + "\n+hello\n*** End Patch\n"
}

func geminiCLI() host {
	s := hostTools{
		shell: func(text string) *call {
			return &call{name: "run_shell_command", args: object{"command": text, "description": "d"}}
		},
		write: func(path string) *call {
			return &call{name: "write_file", args: object{"file_path": path, "content": "hello"}}
		},
		mcp: func(server, path string) *call {
			return &call{name: "mcp_" + server + "_write_file", args: object{"path": path, "content": "hello"}}
		},
		subagent: &call{name: "invoke_agent", args: object{"agent_name": "generalist", "prompt": subtask}},
	}
	return host{name: "gemini-cli", hangsOnAsk: true, program: "gemini", calls: s.calls,
		setup: func(p fixture) error {
			return write(filepath.Join(p.home, ".gemini", "settings.json"), object{"security": object{"auth": object{"selectedType": "gemini-api-key"}},
				"mcpServers": mcpServers(p), "telemetry": object{"enabled": false}, "general": object{"disableAutoUpdate": true}})
		},
		env: func(p fixture) []string {
			return []string{"GOOGLE_GEMINI_BASE_URL=" + p.model, "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true"}
		},
		command: func(p fixture) []string { return []string{p.bin, "-p", prompt, "--yolo", "-m", "gemini-2.5-flash"} }}
}

func qwenCode() host {
	s := hostTools{
		shell: func(text string) *call {
			return &call{name: "run_shell_command", args: object{"command": text, "description": "d", "is_background": false}}
		},
		write: func(path string) *call {
			return &call{name: "write_file", args: object{"file_path": path, "content": "hello"}}
		},
		mcp: func(server, path string) *call {
			return &call{name: "mcp__" + server + "__write_file", args: object{"path": path, "content": "hello"}}
		},
		subagent: &call{name: "agent", args: object{"description": "sub task", "prompt": subtask, "subagent_type": "general-purpose"}},
	}
	return host{name: "qwen-code", program: "qwen", cannotRewrite: true, calls: s.calls,
		setup: func(p fixture) error {
			return write(filepath.Join(p.home, ".qwen", "settings.json"), object{"security": object{"auth": object{"selectedType": "openai"}}, "mcpServers": mcpServers(p),
				"telemetry": object{"enabled": false}, "privacy": object{"usageStatisticsEnabled": false}})
		},
		env: func(p fixture) []string {
			return []string{"OPENAI_BASE_URL=" + p.model + "/v1", "OPENAI_API_KEY=none", "OPENAI_MODEL=scripted"}
		},
		command: func(p fixture) []string { return []string{p.bin, "-p", prompt, "--yolo"} }}
}

func copilotCLI() host {
	s := hostTools{
		shell: func(text string) *call { return &call{name: "bash", args: object{"command": text, "description": "d"}} },
		write: func(path string) *call {
			return &call{name: "create", args: object{"path": path, "file_text": "hello"}}
		},
		mcp: func(server, path string) *call {
			return &call{name: server + "-write_file", args: object{"path": path, "content": "hello"}}
		},
		subagent: &call{name: "task", args: object{"agent_type": "general-purpose", "description": "sub task", "name": "sub", "prompt": subtask, "mode": "sync"}},
	}
	return host{name: "copilot-cli", program: "copilot", calls: s.calls,
		setup: func(p fixture) error {
			list := mcpServers(p)
			for name := range list {
				list[name] = object{"type": "local", "command": p.mcp[0], "args": p.mcp[1:], "tools": []string{"*"}}
			}
			return write(filepath.Join(p.home, ".copilot", "mcp-config.json"), object{"mcpServers": list})
		},
		env: func(p fixture) []string {
			return []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + p.model + "/v1", "COPILOT_MODEL=scripted", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_AUTO_UPDATE=false"}
		},
		command: func(p fixture) []string {
			return []string{p.bin, "-p", prompt, "--allow-all-tools", "--allow-all-paths", "--no-color"}
		}}
}

func cline() host {
	s := hostTools{
		shell: func(text string) *call { return &call{name: "run_commands", args: object{"commands": []string{text}}} },
		write: func(path string) *call { return &call{name: "editor", args: object{"path": path, "new_text": "hello"}} },
		mcp: func(server, path string) *call {
			return &call{name: server + "__write_file", args: object{"path": path, "content": "hello"}}
		},
		subagent: &call{name: "spawn_agent", args: object{"systemPrompt": "you are a helper", "task": subtask}},
	}
	return host{name: "cline", program: "cline", installScript: "postinstall.mjs", calls: s.calls,
		setup: func(p fixture) error {
			return write(filepath.Join(p.home, ".cline", "data", "settings", "cline_mcp_settings.json"), object{"mcpServers": mcpServers(p)})
		},
		env: func(fixture) []string { return []string{"CLINE_TELEMETRY_DISABLED=1"} },
		command: func(p fixture) []string {
			auth := strings.Join([]string{p.bin, "auth", "openai-compatible", "-k", "none", "-m", "scripted", "-b", p.model + "/v1"}, " ")
			return []string{"/bin/bash", "-c", auth + " </dev/null && exec " + p.bin + " --auto-approve true '" + prompt + "' </dev/null"}
		}}
}

func opencode() host {
	s := hostTools{
		shell: func(text string) *call { return &call{name: "bash", args: object{"command": text, "description": "d"}} },
		write: func(path string) *call {
			return &call{name: "write", args: object{"filePath": path, "content": "hello"}}
		},
		mcp: func(server, path string) *call {
			return &call{name: server + "_write_file", args: object{"path": path, "content": "hello"}}
		},
		subagent: &call{name: "task", args: object{"description": "sub task", "prompt": subtask, "subagent_type": "general"}},
		patch:    func(name string) *call { return &call{name: "apply_patch", args: object{"patchText": patchText(name)}} },
	}
	return host{name: "opencode", pluginOnly: true, companion: "@opencode-ai/plugin", program: "opencode", timeout: 3 * time.Minute, installScript: "postinstall.mjs", calls: s.calls,
		setup: func(p fixture) error {
			// opencode would otherwise download its plugin package from the network.
			config := filepath.Join(p.home, ".config", "opencode")
			if err := write(filepath.Join(config, "package.json"), object{"dependencies": object{"@opencode-ai/plugin": p.version}}); err != nil {
				return err
			}
			const scope = "@opencode-ai"
			from := os.DirFS(filepath.Join(filepath.Dir(p.bin), "..", scope))
			if err := os.CopyFS(filepath.Join(config, "node_modules", scope), from); err != nil {
				return err
			}
			list := object{}
			for name := range mcpServers(p) {
				list[name] = object{"type": "local", "command": p.mcp, "enabled": true}
			}
			model := "scripted"
			if p.action == "patch" {
				model = "gpt-5-scripted" // opencode offers the tool only to models with such a name
			}
			return write(filepath.Join(p.home, ".config", "opencode", "opencode.json"), object{"model": "scripted/" + model, "small_model": "scripted/" + model, "autoupdate": false,
				"share": "disabled", "mcp": list, "permission": object{"*": "allow"}, "provider": object{"scripted": object{"npm": "@ai-sdk/openai-compatible", "name": "scripted",
					"options": object{"baseURL": p.model + "/v1", "apiKey": "none"}, "models": object{model: object{"name": model, "tool_call": true}}}}})
		},
		env: func(fixture) []string {
			return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "npm_config_fetch_retries=0"}
		},
		command: func(p fixture) []string { return []string{p.bin, "run", prompt} }}
}
