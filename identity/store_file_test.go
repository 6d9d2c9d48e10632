//go:build unix

package identity_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/identity"
)

// withAnother adds a copy of the only credential of a file, in which it replaces a part.
func withAnother(text string, part *regexp.Regexp, by string) string {
	start, end := strings.Index(text, "[{")+1, strings.LastIndex(text, "}]")+1
	return text[:end] + "," + part.ReplaceAllString(text[start:end], by) + text[end:]
}

// spoiltFiles are changes to the text, or to the mode, of a file with one credential.
func spoiltFiles() map[string]func(t *testing.T, path, text string) string {
	return map[string]func(t *testing.T, path, text string) string{
		"cut in the middle": func(_ *testing.T, _, text string) string { return text[:len(text)/2] },
		"empty":             func(*testing.T, string, string) string { return "" },
		"of another version": func(_ *testing.T, _, text string) string {
			return strings.Replace(text, `"version":1`, `"version":2`, 1)
		},
		"with an unknown key": func(_ *testing.T, _, text string) string {
			return strings.Replace(text, `"version"`, `"x":1,"version"`, 1)
		},
		"with an unknown scope": func(_ *testing.T, _, text string) string { return strings.Replace(text, `"decide"`, `"root"`, 1) },
		"with an unknown claim": func(_ *testing.T, _, text string) string {
			return strings.Replace(text, `"model"`, `"everything"`, 1)
		},
		"without agents":  func(_ *testing.T, _, text string) string { return strings.Replace(text, `["coder"]`, `[]`, 1) },
		"for every agent": func(_ *testing.T, _, text string) string { return strings.Replace(text, `["coder"]`, `["*"]`, 1) },
		"with a short digest": func(_ *testing.T, _, text string) string {
			return strings.Replace(text, `"sha256":"`, `"sha256":"","y":"`, 1)
		},
		"with a digest that is too long": func(_ *testing.T, _, text string) string {
			return strings.Replace(text, `"sha256":"`, `"sha256":"ab`, 1)
		},
		"with a digest of other letters": func(_ *testing.T, _, text string) string {
			return strings.Replace(text, `"sha256":"`, `"sha256":"xy`, 1)
		},
		"without a list": func(*testing.T, string, string) string { return `{"version":1}` },
		"with two credentials of one name": func(_ *testing.T, _, text string) string {
			return withAnother(text, regexp.MustCompile(`"sha256":"\w+"`), `"sha256":"`+strings.Repeat("ab", 32)+`"`)
		},
		"with two credentials of one token": func(_ *testing.T, _, text string) string {
			return withAnother(text, regexp.MustCompile(`"name":"coder"`), `"name":"other"`)
		},
		"with too many credentials": func(_ *testing.T, _, text string) string {
			one := text[strings.Index(text, `[{`)+1 : strings.LastIndex(text, `}]`)+1]
			list := []string{one}
			for i := range 10_000 {
				other := strings.Replace(one, `"name":"coder"`, fmt.Sprintf(`"name":"c%d"`, i), 1)
				list = append(list, regexp.MustCompile(`"sha256":"\w{8}`).ReplaceAllString(other, fmt.Sprintf(`"sha256":"%08x`, i)))
			}
			return `{"version":1,"credentials":[` + strings.Join(list, ",") + `]}`
		},
		"readable for a group": func(t *testing.T, path, text string) string { require.NoError(t, os.Chmod(path, 0o640)); return text },
	}
}

func TestAnUnusableFileHasNoCredentialsAndIsNotChanged(t *testing.T) {
	for name, spoil := range spoiltFiles() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(dir, newClock())
			token := create(t, s, coder())
			path := filepath.Join(dir, "credentials.json")
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			spoilt := spoil(t, path, string(text))
			require.NoError(t, os.WriteFile(path, []byte(spoilt), 0o600))
			_, ok := s.Token(token)
			assert.False(t, ok)
			require.ErrorContains(t, s.Problem(), path)
			_, err = s.Create(t.Context(), identity.Credential{Name: "other", Scope: gavel.ScopeAdmin})
			require.Error(t, err)
			_, err = s.List()
			require.Error(t, err)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, spoilt, string(after), "it is left unchanged")
		})
	}
}
