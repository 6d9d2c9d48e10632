package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"time"
)

// openclaw is OpenClaw with the plugin of this repository, which is packed as for publication. For
// sub-agents, OpenClaw needs a gateway, which the command starts.
func openclaw() host {
	s := hostTools{
		shell: func(text string) *call { return &call{name: "exec", args: object{"command": text}} },
		write: func(path string) *call { return &call{name: "write", args: object{"path": path, "content": "hello"}} },
		mcp: func(server, path string) *call {
			return &call{name: "tool_call", args: object{"id": server + "__write_file", "args": object{"path": path, "content": "hello"}}}
		},
		patch:    func(name string) *call { return &call{name: "apply_patch", args: object{"input": patchText(name)}} },
		subagent: &call{name: "tool_call", args: object{"id": "sessions_spawn", "args": object{"task": subtask}}},
	}
	return host{name: "openclaw", pluginOnly: true, slow: true, program: "openclaw", node: "24.21.0", timeout: 5 * time.Minute, setupInstalls: true, calls: s.calls,
		prepare: packOpenClaw,
		setup: func(p fixture) error {
			model := object{"id": "scripted", "name": "scripted", "reasoning": false, "input": []string{"text"}, "contextWindow": 200_000, "maxTokens": 8_000}
			gateway, err := freePort()
			if err != nil {
				return err
			}
			return write(filepath.Join(p.home, ".openclaw", "openclaw.json"), object{
				"gateway": object{"mode": "local", "bind": "loopback", "port": gateway, "auth": object{"mode": "token", "token": "none"}},
				"models":  object{"providers": object{"scripted": object{"baseUrl": p.model + "/v1", "apiKey": "none", "api": "openai-completions", "models": []object{model}}}},
				"agents":  object{"defaults": object{"model": "scripted/scripted", "workspace": p.project, "skipBootstrap": true}},
				"tools":   object{"profile": "full", "exec": object{"host": "gateway", "security": "full", "ask": "off"}},
				"mcp":     object{"servers": mcpServers(p)},
				"plugins": object{"load": object{"paths": []string{pluginDir(p.root)}}, "entries": object{"gavel": object{"enabled": true}}},
			})
		},
		env: func(fixture) []string { return nil },
		command: func(p fixture) []string {
			if p.action != "subagent" {
				return []string{p.bin, "agent", "--local", "--agent", "main", "--session-id", "one", "-m", prompt}
			}
			log := filepath.Join(p.dir, "gateway")
			return []string{"/bin/bash", "-c", p.bin + " gateway run >" + log + " 2>&1 & until grep -qF '[gateway] ready' " + log + "; do sleep 1; done; exec " +
				p.bin + " agent --agent main --session-id one -m '" + prompt + "'"}
		}}
}

// freePort returns an unused port of the loopback interface.
func freePort() (int, error) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}

// pluginDir returns the directory of the unpacked plugin package.
func pluginDir(root string) string {
	return filepath.Join(root, "build", "hosts", "openclaw-plugin", "package")
}

// packOpenClaw builds and packs the plugin.
func packOpenClaw(ctx context.Context, t *runner, h host) error {
	work := filepath.Join(t.root, "build", "hosts", "openclaw-plugin")
	for _, dir := range []string{"hosts/plugin", "hosts/openclaw/plugin"} {
		to := filepath.Join(work, dir)
		if err := os.RemoveAll(to); err != nil {
			return err
		}
		if err := os.CopyFS(to, os.DirFS(filepath.Join(t.root, dir))); err != nil {
			return err
		}
	}
	if err := os.Remove(filepath.Join(work, "hosts", "plugin", "plugin.go")); err != nil { // its copy would be another package of this module
		return err
	}
	dir := filepath.Join(work, "hosts", "openclaw", "plugin")
	for _, words := range [][]string{{"npm", "ci", "--silent", "--no-audit", "--no-fund"}, {"npm", "pack", "--silent", "--pack-destination", work},
		{"tar", "-xzf", filepath.Join(work, "gavel-openclaw-0.1.0.tgz"), "-C", work}} {
		if err := runCommand(ctx, dir, t.envWithNode(h), words[0], words[1:]...); err != nil {
			return err
		}
	}
	return nil
}
