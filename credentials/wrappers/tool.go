package wrappers

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"gavel/credentials/wire"
	"gavel/internal/nearest"
	"gavel/internal/private"
	"gavel/internal/secrets"
)

type node = yaml.Node

func toolName(name string) bool { return wire.ToolName(name) }

func toolKeys() []string {
	return []string{"binary", "timeout", "env", "forced_env", "mode", "blocked_args", "allowed_args", "redact_output", "config_file", "use_proxy",
		"use_pty", "use_stdin", "working_dir", "request_env"}
}

// toolReader reads one tool.
type toolReader struct {
	object
	config *Config
	masker *secrets.Masker
}

func (t *toolReader) read(name string) *Tool {
	tool := &Tool{Name: name, Binary: t.binary(), Timeout: t.duration("timeout", t.config.Proxy.Timeout, 1), WorkingDir: t.absolute("working_dir", "")}
	tool.Env = t.env()
	tool.ForcedEnv = t.forced()
	t.mode(tool)
	tool.Redact = t.redactions()
	tool.ConfigFile = t.configFile()
	if t.boolean("use_proxy", false) {
		t.problem(t.keys["use_proxy"], t.in("use_proxy"), "", "remove it, and use env or config_file", "Gavel has no HTTP proxy that adds credentials")
	}
	tool.Stdin = t.boolean("use_stdin", true)
	tool.PTY = t.boolean("use_pty", tool.Stdin)
	if tool.PTY && !tool.Stdin {
		t.problem(t.keys["use_pty"], t.in("use_pty"), "", "remove one of them", "use_pty: true needs use_stdin: true")
	}
	if t.has("request_env") {
		names := t.texts("request_env")
		for _, name := range names {
			if !wire.VariableName(name) {
				t.problem(t.values["request_env"], t.in("request_env"), "", "use names such as TERM", "%q is not the name of a variable", name)
			}
		}
		tool.RequestEnv = &names
	}
	t.requestEnv(tool)
	t.overridden(tool)
	t.endsEarlier(tool)
	return tool
}

// binary checks the program. That it is not there yet is not a mistake.
func (t *toolReader) binary() string {
	path := t.text("binary")
	if !absolute(path) {
		at := t.values["binary"]
		if at == nil {
			at = t.node
		}
		t.problem(at, t.in("binary"), "", "write the absolute path of the program", "%q is not an absolute path of a program", path)
		return ""
	}
	at := t.values["binary"]
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.warn(at, t.in("binary"), "install it, or correct the path", "the program is not there")
		return path
	}
	info, err := os.Stat(real)
	switch {
	case err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
		t.warn(at, t.in("binary"), "correct the path", "it is not an executable file")
	default:
		if err := cmp.Or(changeable(real, info), private.CheckPath(path)); err != nil {
			t.warn(at, t.in("binary"), "let only root change it, and the directories on the way to it", "others can replace the program, so it is not run: %v", err)
		}
	}
	if slices.Contains(shells(), filepath.Base(real)) || slices.Contains(shells(), filepath.Base(path)) {
		t.warn(at, t.in("binary"), "wrap the one program that needs the credential", "%s runs whatever it is told, so that whoever may use it can read the credential", filepath.Base(path))
	}
	return path
}

// shells are programs that print their environment if they are asked to.
func shells() []string {
	return []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "busybox", "env", "printenv", "python", "python3", "perl", "ruby", "node", "awk", "sudo", "xargs"}
}

// env reads variables that may hold credentials.
func (t *toolReader) env() (list []Variable) {
	env := t.child("env")
	for _, name := range env.sortedKeys() {
		value := env.values[name]
		if !wire.VariableName(name) {
			t.problem(env.keys[name], env.in(name), "", "use letters, digits and underscores", "%q is not the name of a variable", name)
			continue
		}
		if value.Kind != yaml.ScalarNode {
			t.problem(value, env.in(name), "", "write a text", "it is not a text")
			continue
		}
		list = append(list, Variable{Name: name, Parts: t.parts(name, env.in(name), value)})
	}
	return list
}

// parts reads a value: the name of a credential, or a text with {{ name }} in it.
func (t *toolReader) parts(name, path string, value *yaml.Node) []Part {
	if _, known := t.config.Credentials[value.Value]; known {
		return []Part{{Credential: value.Value}}
	}
	var parts []Part
	rest := value.Value
	reference := regexp.MustCompile(`\{\{\s*([A-Za-z0-9._-]+)\s*\}\}`)
	for {
		at := reference.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		credential := rest[at[2]:at[3]]
		t.needs(value, path, credential)
		parts = append(parts, Part{Text: rest[:at[0]]}, Part{Credential: credential})
		rest = rest[at[1]:]
	}
	if parts == nil {
		t.literal(name, path, value)
	}
	return append(parts, Part{Text: rest})
}

// literal refuses a value that was probably meant to be the name of a credential, or that is one.
func (t *toolReader) literal(name, path string, value *yaml.Node) {
	if near := nearest.Mistakable(value.Value, t.names()); near != "" {
		t.problem(value, path, near, "write the name of the credential, or another text", "%q is an undefined credential", value.Value)
		return
	}
	if t.masker.Name(name) && value.Value != "" {
		t.problem(value, path, "", "define it in the section credentials", "%s holds a secret, and its value is an undefined credential or the secret itself", name)
	}
}

func (t *toolReader) needs(at *yaml.Node, path, credential string) {
	if _, known := t.config.Credentials[credential]; !known {
		t.problem(at, path, nearest.Name(credential, t.names()), "define it in the section credentials", "it references the undefined credential %q", credential)
	}
}

func (t *toolReader) names() (names []string) {
	set := map[string]bool{}
	for name := range t.config.Credentials {
		set[name] = true
	}
	return sorted(set)
}

// forced reads literal variables.
func (t *toolReader) forced() (list []Variable) {
	env := t.child("forced_env")
	for _, name := range env.sortedKeys() {
		value := env.values[name]
		switch {
		case !wire.VariableName(name):
			t.problem(env.keys[name], env.in(name), "", "use letters, digits and underscores", "%q is not the name of a variable", name)
		case value.Kind != yaml.ScalarNode:
			t.problem(value, env.in(name), "", "write a text", "it is not a text")
		case t.child("env").has(name):
			t.problem(env.keys[name], env.in(name), "", "keep one of them", "the variable is in env, too")
		default:
			t.literal(name, env.in(name), value)
			list = append(list, Variable{Name: name, Parts: []Part{{Text: value.Value}}})
		}
	}
	return list
}

func (t *toolReader) redactions() (list []Redaction) {
	const most, longest, replacement = 64, 1024, 256
	items := t.list("redact_output")
	if len(items) > most {
		t.problem(t.keys["redact_output"], t.in("redact_output"), "", "write fewer", "there are more than %d", most)
		return nil
	}
	for i, item := range items {
		path := fmt.Sprintf("%s[%d]", t.in("redact_output"), i)
		o := t.object.object(item, path, "pattern", "replace")
		text, replace := o.text("pattern"), "[REDACTED]"
		if o.has("replace") {
			replace = o.text("replace")
		}
		pattern, err := regexp.Compile(text)
		switch {
		case err != nil || text == "" || len(text) > longest || len(replace) > replacement:
			t.problem(item, path, "", "write a regular expression of at most 1024 bytes, and a replacement of at most 256", "the pattern %q cannot be used", text)
		case pattern.MatchString(""):
			t.problem(item, path, "", "let it match at least one character", "the pattern %q matches the empty text", text)
		default:
			list = append(list, Redaction{pattern, replace})
		}
	}
	return list
}
