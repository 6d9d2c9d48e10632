package wrappers

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// configFile reads the file that is made for each run.
func (t *toolReader) configFile() *ConfigFile {
	if !t.has("config_file") {
		return nil
	}
	o := t.child("config_file", "xdg_subdir", "filename", "template", "credentials")
	f := &ConfigFile{Subdir: o.text("xdg_subdir"), Filename: o.text("filename"), Template: o.text("template"), Credentials: o.texts("credentials")}
	if !below(f.Subdir) {
		t.problem(o.node, o.in("xdg_subdir"), "", "write a directory such as gh", "xdg_subdir is not a path below the directory of configurations")
	}
	if !below(f.Filename) || strings.Contains(f.Filename, "/") {
		t.problem(o.node, o.in("filename"), "", "write a name such as hosts.yml", "filename is not the name of a file")
	}
	if strings.TrimSpace(f.Template) == "" {
		t.problem(o.node, o.in("template"), "", "write the file, with {{ .name }} for a credential", "template is empty")
	}
	for _, name := range f.Credentials {
		if _, known := t.config.Credentials[name]; !known {
			t.problem(o.values["credentials"], o.in("credentials"), "", "define it in the section credentials", "config_file references undefined credential %q", name)
		}
	}
	for _, found := range placeholders().FindAllStringSubmatch(f.Template, -1) {
		if f.credential(found[0]) == "" {
			t.problem(o.values["template"], o.in("template"), "", "write {{ .name }}, with a name of credentials", "%s is not a placeholder for one of its credentials", found[0])
		}
	}
	return f
}

// below reports whether a text is a relative path without surprises.
func below(text string) bool {
	return text != "" && !path.IsAbs(text) && path.Clean(text) == text && text != "." && text != ".." && !strings.HasPrefix(text, "../") &&
		!strings.ContainsAny(text, "\\\x00")
}

// placeholders matches what is one, and what was meant to be one.
func placeholders() *regexp.Regexp { return regexp.MustCompile(`\{\{-?\s*\.[^{}]*\}\}`) }

// credential is the credential of a placeholder, "" for none. Dashes may be written as underscores.
func (f *ConfigFile) credential(placeholder string) string {
	for _, name := range f.Credentials {
		if placeholder == "{{ ."+name+" }}" || placeholder == "{{ ."+strings.ReplaceAll(name, "-", "_")+" }}" {
			return name
		}
	}
	return ""
}

// Render returns the file with its credentials. Each placeholder is replaced once: what a
// credential has in it stays as it is. Values are quoted as the file's kind demands.
func (f *ConfigFile) Render(values map[string]string) (string, error) {
	var failed error
	text := placeholders().ReplaceAllStringFunc(f.Template, func(placeholder string) string {
		name := f.credential(placeholder)
		value, known := values[name]
		if !known {
			failed = fmt.Errorf("render %s: there is no value for %s", f.Filename, placeholder)
			return ""
		}
		quoted, err := f.quote(value)
		if err != nil {
			failed = fmt.Errorf("render %s: %w", f.Filename, err)
		}
		return quoted
	})
	if failed != nil {
		return "", failed
	}
	return text, nil
}

// quote writes a value so that it stays one value.
func (f *ConfigFile) quote(value string) (string, error) {
	control := strings.ContainsFunc(value, func(r rune) bool {
		return r < ' ' || r == 0x7f || r == '\u0085' || r == '\u2028' || r == '\u2029' || r == '\uFEFF'
	})
	switch strings.ToLower(path.Ext(f.Filename)) {
	case ".json", ".json5", ".toml":
		return escaped(value), nil
	case ".ini", ".conf", ".cfg", ".properties", ".env", ".netrc":
		if control || strings.ContainsAny(value, "\"'\\#;[]$`") || strings.TrimSpace(value) != value {
			return "", fmt.Errorf("a credential has a character that files of this kind cannot hold safely")
		}
		return value, nil
	}
	if control {
		return escaped(value), nil // YAML reads it as JSON does
	}
	return "'" + strings.ReplaceAll(value, "'", "''") + "'", nil
}

// escaped is a text in double quotes, as JSON, TOML and YAML read it.
func escaped(value string) string {
	text, err := json.Marshal(value)
	if err != nil {
		return `""`
	}
	return strings.NewReplacer("\x7f", `\u007f`, "\u0085", `\u0085`, "\uFEFF", `\ufeff`).Replace(string(text))
}
