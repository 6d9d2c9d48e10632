package main

// hosts returns the hosts with their packages and versions. Versions appear only here.
func hosts() []host {
	return []host{
		claudeCode().withPackage("@anthropic-ai/claude-code", "2.1.330"),
		codex().withPackage("@openai/codex", "0.169.0"),
		geminiCLI().withPackage("@google/gemini-cli", "0.61.0"),
		qwenCode().withPackage("@qwen-code/qwen-code", "0.24.4"),
		copilotCLI().withPackage("@github/copilot", "1.0.102"),
		cline().withPackage("cline", "3.0.65"),
		opencode().withPackage("opencode-ai", "1.18.33"),
		openclaw().withPackage("openclaw", "2026.9.6"),
	}
}

func (h host) withPackage(pkg, version string) host {
	h.pkg, h.version = pkg, version
	return h
}
