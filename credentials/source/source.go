// Package source reads credentials from where they are kept: files, password managers and the
// programs of secret stores. A source is a text, such as file:/etc/secrets/token; it is read when
// the configuration is loaded, so that a mistake in it shows then, and not at the first use.
//
// Programs are named by absolute paths and run without a shell, with a short environment. What they
// write to standard output is the credential, and never part of an error.
package source

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"gavel/internal/nearest"
)

// Kind is where a credential is kept.
type Kind string

// The kinds, by the prefix that names them.
const (
	Pass     Kind = "pass"
	Gopass   Kind = "gopass"
	Env      Kind = "env"
	File     Kind = "file"
	Age      Kind = "age"
	OP       Kind = "op"
	Vault    Kind = "vault"
	Keychain Kind = "keychain"
	ExecJSON Kind = "exec-json"
)

// kinds lists the prefixes.
func kinds() []string {
	return []string{string(Pass), string(Gopass), string(Env), string(File), string(Age), string(OP), string(Vault), string(Keychain), string(ExecJSON)}
}

// Source says where one credential is.
type Source struct {
	Kind Kind
	// Name is what the kind calls it: a path in a password store, the name of a variable, a file.
	Name string
	// Part is what of it is meant: a field of a Vault secret, an account of the keychain.
	Part string
	// Query takes a part out of a JSON text; nil takes all.
	Query *gojq.Code
}

// Parse reads the text of a source.
func Parse(text string) (Source, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Source{}, fmt.Errorf("empty source: want one such as file:/etc/secrets/token")
	}
	text, query, queried := strings.Cut(text, " | ")
	s, err := parsePlain(strings.TrimSpace(text))
	if err != nil {
		return Source{}, err
	}
	if !queried {
		return s, nil
	}
	if s.Kind == ExecJSON {
		return Source{}, fmt.Errorf("the exec-json backend does not support jq extraction: let the helper print the value")
	}
	parsed, err := gojq.Parse(query)
	if err != nil {
		return Source{}, fmt.Errorf("the jq query after | cannot be read: %w", err)
	}
	if s.Query, err = gojq.Compile(parsed); err != nil {
		return Source{}, fmt.Errorf("the jq query after | cannot be used: %w", err)
	}
	return s, nil
}

// parsePlain reads a source without a query.
func parsePlain(text string) (Source, error) {
	if strings.HasPrefix(text, "op://") {
		return Source{Kind: OP, Name: text}, control(text)
	}
	prefix, rest, prefixed := strings.Cut(text, ":")
	if !prefixed {
		prefix, rest = string(Pass), text
	}
	s := Source{Kind: Kind(prefix), Name: rest}
	if !slices.Contains(kinds(), prefix) || s.Kind == OP {
		return Source{}, fmt.Errorf("%q is not a kind of source%s: use one of %s, op://", prefix+":", meant(prefix), strings.Join(kinds(), ":, ")+":")
	}
	if s.Name == "" || strings.HasPrefix(s.Name, "-") {
		return Source{}, fmt.Errorf("%s: names nothing, or begins with a dash", prefix)
	}
	if err := control(text); err != nil {
		return Source{}, err
	}
	switch s.Kind {
	case File, Age, ExecJSON:
		if !filepath.IsAbs(s.Name) || filepath.Clean(s.Name) != s.Name {
			return Source{}, fmt.Errorf("%s: want an absolute path without . and .., such as %s:/etc/secrets/token", prefix, prefix)
		}
	case Env:
		if !variable(s.Name) {
			return Source{}, fmt.Errorf("env: %q is not the name of a variable: use letters, digits and underscores", s.Name)
		}
	case Vault: // vault:secret/data/app#field, or the field value
		s.Name, s.Part, _ = strings.Cut(s.Name, "#")
	case Keychain: // keychain:service or keychain:service/account
		s.Name, s.Part, _ = strings.Cut(s.Name, "/")
	case Pass, Gopass:
		if slices.Contains(strings.Split(s.Name, "/"), "..") {
			return Source{}, fmt.Errorf("%s: the path has a part ..", prefix)
		}
	}
	return s, nil
}

// control refuses control characters, which no name has.
func control(text string) error {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("the source has a control character")
	}
	return nil
}

func variable(name string) bool {
	for i, c := range name {
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '_' && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

func meant(name string) string {
	if near := nearest.Name(name, kinds()); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near+":")
	}
	if name == "bw" {
		return " of Gavel (use exec-json: with a helper that runs bw)"
	}
	return ""
}
