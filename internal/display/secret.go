package display

import (
	"slices"
	"strings"
)

// Secret reports whether the value of a variable is likely a secret, by its name.
func Secret(name string) bool {
	name = strings.ToUpper(name)
	if name == "PWD" { // the working directory
		return false
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	if slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(secretParts(), part) }) {
		return true
	}
	return slices.ContainsFunc(secretTexts(), func(text string) bool { return strings.Contains(name, text) })
}

// secretParts are words of a name, secretTexts texts anywhere in one, that say so.
func secretParts() []string {
	return []string{"KEY", "KEYS", "PAT", "PIN", "PASS", "PW", "PWD", "AUTH", "JWT", "DSN", "COOKIE", "SALT", "SIGNATURE"}
}

func secretTexts() []string {
	return []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY", "ACCESSKEY", "PRIVATEKEY", "WEBHOOK"}
}
