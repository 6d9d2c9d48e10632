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

// host is an agent host to install and to run.
type host struct {
	name, pkg, version, program string
	with                        string        // another package that it requires, of the same version
	script                      string        // its installation script
	keepsText                   bool          // it runs the original text of commands
	hookless                    bool          // it has a plugin of Gavel, which asks nobody and takes no options
	waits                       bool          // a question that nobody answers makes it wait forever
	slow                        bool          // it takes minutes: -short leaves it out
	node                        string        // the version that it needs, if not nodeVersion
	within                      time.Duration // how long it may take for one call, if not runsWithin
	// prepare builds what the host needs besides its package; may be nil.
	prepare func(context.Context, *tools, host) error
	// plugin is true if setup installs Gavel, and gavel install does not.
	plugin  bool
	setup   func(place) error
	env     func(place) []string
	command func(place) []string
	// calls returns the calls of the main model and of the sub-agent. It returns nil if the
	// host has no such tool.
	calls func(c cell, dir string) []*call
}

// prompt is the person's message.
const prompt = "make the file"

// write writes a settings file.
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

// servers returns the configuration of the MCP servers in the form that most hosts read.
func servers(p place) object {
	one := object{"command": p.mcp[0], "args": p.mcp[1:]}
	return object{"fs": one, "denied": one}
}

// shapes are the tools of a host.
type shapes struct {
	shell    func(command string) *call
	write    func(path string) *call
	mcp      func(server, path string) *call
	subagent *call
	patch    func(name string) *call
	// shellPatch is true if the host reads a patch in a command of its shell tool.
	shellPatch bool
}

// calls makes the calls of a cell.
func (s shapes) calls(c cell, dir string) []*call {
	switch c.action {
	case "shell":
		return []*call{s.shell(c.do), nil}
	case "subagent":
		return []*call{s.subagent, s.shell(c.do)}
	case "mcp":
		return []*call{s.mcp(c.do, filepath.Join(dir, marker)), nil}
	case "write":
		return []*call{s.write(filepath.Join(dir, c.do)), nil}
	case "shellpatch":
		if s.shellPatch {
			return []*call{s.shell("apply_patch <<'EOF'\n" + patchOf(c.do) + "EOF\n"), nil}
		}
	case "patch":
		if s.patch != nil {
			return []*call{s.patch(c.do), nil}
		}
	}
	return nil
}

func claudeCode() host {
	s := shapes{
		shell: func(text string) *call { return &call{name: "Bash", args: object{"command": text, "description": "d"}} },
		write: func(path string) *call {
			return &call{name: "Write", args: object{"file_path": path, "content": "hello"}}
		},
		mcp: func(server, path string) *call {
			return &call{name: "mcp__" + server + "__write_file", args: object{"path": path, "content": "hello"}}
		},
		subagent: &call{name: "Agent", args: object{"description": "sub task", "prompt": subtask, "subagent_type": "general-purpose"}},
	}
	return host{name: "claude-code", program: "claude", script: "install.cjs", calls: s.calls,
		setup: func(p place) error {
			return write(filepath.Join(p.dir, "mcp.json"), object{"mcpServers": servers(p)})
		},
		env: func(p place) []string {
			return []string{"ANTHROPIC_BASE_URL=" + p.model, "ANTHROPIC_API_KEY=none", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
		},
		command: func(p place) []string {
			return []string{p.bin, "-p", prompt, "--model", "scripted", "--mcp-config", filepath.Join(p.dir, "mcp.json"),
				"--allowedTools", "Bash,Write,Agent,mcp__fs__write_file,mcp__denied__write_file"}
		}}
}

func codex() host {
	s := shapes{
		shell: func(text string) *call { return &call{name: "exec_command", args: object{"cmd": text}} },
		write: func(path string) *call { return patch(filepath.Base(path)) },
		mcp: func(server, path string) *call {
			return &call{name: "write_file", namespace: "mcp__" + server, args: object{"path": path, "content": "hello"}}
		},
		subagent: &call{name: "spawn_agent", namespace: "multi_agent_v1", args: object{"message": subtask}},
		patch:    patch, shellPatch: true,
	}
	return host{name: "codex", program: "codex", calls: s.calls,
		setup: func(p place) error {
			text := "model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\napproval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n" +
				fmt.Sprintf("[model_providers.scripted]\nname = \"scripted\"\nbase_url = %q\nwire_api = \"responses\"\n", p.model+"/v1")
			for name := range servers(p) {
				text += fmt.Sprintf("[mcp_servers.%s]\ncommand = %q\nargs = [\"-mcp\"]\n", name, p.mcp[0])
			}
			return write(filepath.Join(p.home, ".codex", "config.toml"), text)
		},
		env:     func(place) []string { return nil },
		command: func(p place) []string { return []string{p.bin, "exec", "--skip-git-repo-check", prompt} }}
}

// patch is Codex's tool for files.
func patch(name string) *call {
	return &call{name: "apply_patch", custom: patchOf(name)}
}

// patchOf is a patch that adds a file.
func patchOf(name string) string {
	return "*** Begin Patch\n*** Add File: " + name + "\n+hello\n*** End Patch\n"
}

func geminiCLI() host {
	s := shapes{
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
	return host{name: "gemini-cli", waits: true, program: "gemini", calls: s.calls,
		setup: func(p place) error {
			return write(filepath.Join(p.home, ".gemini", "settings.json"), object{"security": object{"auth": object{"selectedType": "gemini-api-key"}},
				"mcpServers": servers(p), "telemetry": object{"enabled": false}, "general": object{"disableAutoUpdate": true}})
		},
		env: func(p place) []string {
			return []string{"GOOGLE_GEMINI_BASE_URL=" + p.model, "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true"}
		},
		command: func(p place) []string { return []string{p.bin, "-p", prompt, "--yolo", "-m", "gemini-2.5-flash"} }}
}

func qwenCode() host {
	s := shapes{
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
	return host{name: "qwen-code", program: "qwen", keepsText: true, calls: s.calls,
		setup: func(p place) error {
			return write(filepath.Join(p.home, ".qwen", "settings.json"), object{"security": object{"auth": object{"selectedType": "openai"}}, "mcpServers": servers(p),
				"telemetry": object{"enabled": false}, "privacy": object{"usageStatisticsEnabled": false}})
		},
		env: func(p place) []string {
			return []string{"OPENAI_BASE_URL=" + p.model + "/v1", "OPENAI_API_KEY=none", "OPENAI_MODEL=scripted"}
		},
		command: func(p place) []string { return []string{p.bin, "-p", prompt, "--yolo"} }}
}

func copilotCLI() host {
	s := shapes{
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
		setup: func(p place) error {
			list := servers(p)
			for name := range list {
				list[name] = object{"type": "local", "command": p.mcp[0], "args": p.mcp[1:], "tools": []string{"*"}}
			}
			return write(filepath.Join(p.home, ".copilot", "mcp-config.json"), object{"mcpServers": list})
		},
		env: func(p place) []string {
			return []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + p.model + "/v1", "COPILOT_MODEL=scripted", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_AUTO_UPDATE=false"}
		},
		command: func(p place) []string {
			return []string{p.bin, "-p", prompt, "--allow-all-tools", "--allow-all-paths", "--no-color"}
		}}
}

func cline() host {
	s := shapes{
		shell: func(text string) *call { return &call{name: "run_commands", args: object{"commands": []string{text}}} },
		write: func(path string) *call { return &call{name: "editor", args: object{"path": path, "new_text": "hello"}} },
		mcp: func(server, path string) *call {
			return &call{name: server + "__write_file", args: object{"path": path, "content": "hello"}}
		},
		subagent: &call{name: "spawn_agent", args: object{"systemPrompt": "you are a helper", "task": subtask}},
	}
	return host{name: "cline", program: "cline", script: "postinstall.mjs", calls: s.calls,
		setup: func(p place) error {
			return write(filepath.Join(p.home, ".cline", "data", "settings", "cline_mcp_settings.json"), object{"mcpServers": servers(p)})
		},
		env: func(place) []string { return []string{"CLINE_TELEMETRY_DISABLED=1"} },
		command: func(p place) []string {
			auth := strings.Join([]string{p.bin, "auth", "openai-compatible", "-k", "none", "-m", "scripted", "-b", p.model + "/v1"}, " ")
			return []string{"/bin/bash", "-c", auth + " </dev/null && exec " + p.bin + " --auto-approve true '" + prompt + "' </dev/null"}
		}}
}

func opencode() host {
	s := shapes{
		shell: func(text string) *call { return &call{name: "bash", args: object{"command": text, "description": "d"}} },
		write: func(path string) *call {
			return &call{name: "write", args: object{"filePath": path, "content": "hello"}}
		},
		mcp: func(server, path string) *call {
			return &call{name: server + "_write_file", args: object{"path": path, "content": "hello"}}
		},
		subagent: &call{name: "task", args: object{"description": "sub task", "prompt": subtask, "subagent_type": "general"}},
		patch:    func(name string) *call { return &call{name: "apply_patch", args: object{"patchText": patchOf(name)}} },
	}
	return host{name: "opencode", hookless: true, with: "@opencode-ai/plugin", program: "opencode", within: 3 * time.Minute, script: "postinstall.mjs", calls: s.calls,
		setup: func(p place) error {
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
			for name := range servers(p) {
				list[name] = object{"type": "local", "command": p.mcp, "enabled": true}
			}
			model := "scripted"
			if p.action == "patch" {
				model = "gpt-5-scripted" // only models of this name are offered the tool
			}
			return write(filepath.Join(p.home, ".config", "opencode", "opencode.json"), object{"model": "scripted/" + model, "small_model": "scripted/" + model, "autoupdate": false,
				"share": "disabled", "mcp": list, "permission": object{"*": "allow"}, "provider": object{"scripted": object{"npm": "@ai-sdk/openai-compatible", "name": "scripted",
					"options": object{"baseURL": p.model + "/v1", "apiKey": "none"}, "models": object{model: object{"name": model, "tool_call": true}}}}})
		},
		env: func(place) []string {
			return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "npm_config_fetch_retries=0"}
		},
		command: func(p place) []string { return []string{p.bin, "run", prompt} }}
}
