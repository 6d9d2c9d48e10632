package main

// hosts are the hosts, with the packages and the versions that are run. No other place names
// versions.
func hosts() []host {
	return []host{
		claudeCode().of("@anthropic-ai/claude-code", "2.1.330"),
		codex().of("@openai/codex", "0.169.0"),
		geminiCLI().of("@google/gemini-cli", "0.61.0"),
		qwenCode().of("@qwen-code/qwen-code", "0.24.4"),
		copilotCLI().of("@github/copilot", "1.0.102"),
		cline().of("cline", "3.0.65"),
		opencode().of("opencode-ai", "1.18.33"),
		openclaw().of("openclaw", "2026.9.6"),
	}
}

func (h host) of(pkg, version string) host {
	h.pkg, h.version = pkg, version
	return h
}
