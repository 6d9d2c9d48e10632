package analyzer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// filesNamed returns the files that the parameters of a tool name, on a machine that a gateway claims.
func filesNamed(t *testing.T, tool string, params map[string]any) gavel.Facts {
	t.Helper()
	return newAnalyzer(t).Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: tool, Params: params},
		Environment: &gavel.Environment{Cwd: "/w", Home: "/h", Platform: "linux", Executables: map[string]string{}}}, nil)
}

func TestParametersOfOtherToolsNameFiles(t *testing.T) {
	t.Parallel()
	for about, c := range map[string]struct {
		name, text string
		want       string // the path
		absolute   bool
	}{
		"an absolute path":               {"filePath", "/a/b", "/a/b", true},
		"a path of the home directory":   {"media", "~/a", "/h/a", true},
		"a relative path":                {"path", "a", "/w/a", false},
		"a path in a parameter of texts": {"text", "/a/b", "/a/b", false},
		"a relative path that shows it":  {"text", "./a", "/w/a", false},
		"a word in a parameter of texts": {"text", ".env", "", false},
		"a sentence":                     {"text", "/help me", "", false},
		"a path with a blank":            {"path", "/a b", "/a b", true},
		"a file URL":                     {"text", "file:///a%20b", "/a b", true},
		"a file URL of this machine":     {"text", "FILE://localhost/a", "/a", true},
		"another URL":                    {"mediaUrl", "https://a.test/b", "", false},
		"a sign before the path":         {"file", "@/a", "/a", true},
		"the root of a process":          {"file", "/proc/self/root/a", "/a", true},
		"several lines":                  {"path", "/a\n/b", "", false},
		"a profile is not a file":        {"profile", "work", "", false},
		"another spelling of a name":     {"Image_Path", "a/../b", "/w/b", false},
	} {
		facts := filesNamed(t, "message", map[string]any{"x": []any{map[string]any{c.name: c.text}}})
		if c.want == "" {
			assert.Empty(t, facts.NamedFiles, about)
			continue
		}
		if assert.Len(t, facts.NamedFiles, 1, about) {
			assert.Equal(t, c.want, facts.NamedFiles[0].Path, about)
			assert.Equal(t, c.absolute, facts.NamedFiles[0].Absolute, about)
			assert.Equal(t, "read", facts.NamedFiles[0].Access, about)
		}
	}
	assert.Equal(t, "write", filesNamed(t, "mcp__fs__x", map[string]any{"path": "/a"}).NamedFiles[0].Access)
	for _, tool := range []string{"read", "exec", "process", "apply_patch"} {
		assert.Equal(t, []gavel.NamedFile{}, filesNamed(t, tool, map[string]any{"path": "/a", "input": "/a"}).NamedFiles, tool)
	}
}

func TestACallThatNamesTooManyFilesExceedsALimit(t *testing.T) {
	t.Parallel()
	var paths []any
	for i := range 1025 {
		paths = append(paths, fmt.Sprintf("/a/%d", i))
	}
	assert.Empty(t, filesNamed(t, "message", map[string]any{"paths": paths[:1024]}).Exceeded)
	assert.Equal(t, []string{"lookups"}, filesNamed(t, "message", map[string]any{"paths": paths}).Exceeded)
}
