package analyzer_test

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gavel"
)

// everywhere claims that every first word of a command exists, so that whatever
// is parsed is rendered too.
func everywhere(exec *gavel.ExecFacts) *gavel.Environment {
	environment := &gavel.Environment{Cwd: "/srv/app", Shell: exec.Shell, Executables: map[string]string{}}
	for _, segment := range exec.Segments {
		switch word := segment.Argv[0]; {
		case !strings.Contains(word, "/"):
			environment.Executables[word] = "/usr/bin/" + word
		case path.IsAbs(word):
			environment.Executables[path.Clean(word)] = path.Clean(word)
		default:
			clean := path.Join("/srv/app", word)
			environment.Executables[clean] = clean
		}
	}
	return environment
}

// assertRenderedRuns checks that what is rendered reads as what was read: the
// same words, programs in full, and that rendering it again changes nothing.
func assertRenderedRuns(t assert.TestingT, tb testing.TB, exec *gavel.ExecFacts) {
	if !exec.Parsed || exec.Rendered == "" {
		return
	}
	again := analyze(tb, everywhere(exec), exec.Rendered)
	if !assert.True(t, again.Parsed, "%q from %q: %+v", exec.Rendered, exec.Command, again.Refusal) {
		return
	}
	assert.Len(t, again.Segments, len(exec.Segments), "%q from %q", exec.Rendered, exec.Command)
	for i, segment := range exec.Segments {
		assert.Equal(t, segment.Argv[1:], again.Segments[i].Argv[1:], "%q from %q", exec.Rendered, exec.Command)
		assert.True(t, path.IsAbs(again.Segments[i].Argv[0]), "%q from %q", exec.Rendered, exec.Command)
	}
	third := analyze(tb, everywhere(again), again.Rendered)
	assert.Equal(t, argvs(again), argvs(third))
	assert.Equal(t, again.Rendered, third.Rendered)
}

// TestAnyWordsSurviveRendering makes words of anything that the guard lets
// through, in every spelling that quotes them, and joins them with operators.
func TestAnyWordsSurviveRendering(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOf(rapid.SampledFrom([]rune("ab'\"\\$`!#~*?[]{},.;&|<>()=:-+@%^ \t\né文/"))), 0, 4)
		calls := rapid.SliceOfN(words, 1, 5).Draw(rt, "calls")
		shell := rapid.SampledFrom([]string{"bash", "dash", "mksh"}).Draw(rt, "shell")
		var text strings.Builder
		want := [][]string{}
		for i, args := range calls {
			if i > 0 {
				text.WriteString(rapid.SampledFrom([]string{" && ", "||", " | ", "; ", " & ", "\n"}).Draw(rt, "operator"))
			}
			text.WriteString("prog")
			for _, arg := range args {
				text.WriteString(" " + spell(rt, arg))
			}
			want = append(want, append([]string{"prog"}, args...))
		}
		exec := analyze(t, claims(shell, "prog"), text.String())
		if exec.Refusal != nil { // too many openings, or a continuation spelled by chance
			require.Contains(rt, []string{"limit", "guard"}, exec.Refusal.Kind, "%q: %+v", text.String(), exec.Refusal)
			return
		}
		require.Equal(rt, want, argvs(exec), "%q", text.String())
		require.NotEmpty(rt, exec.Rendered)
		assertRenderedRuns(rt, t, exec)
	})
}

// spell writes a word in one of the ways that a shell reads as that word.
func spell(rt *rapid.T, word string) string {
	switch rapid.SampledFrom([]string{"single", "double", "backslash"}).Draw(rt, "spelling") {
	case "double":
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(word) + `"`
	case "backslash":
		if word == "" || strings.Contains(word, "\n") {
			return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
		}
		var escaped strings.Builder
		for _, r := range word {
			escaped.WriteString(`\` + string(r))
		}
		return escaped.String()
	default:
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, d := range lines[differential](f, "testdata/parser-differentials.jsonl") {
		f.Add(d.Script, "bash")
	}
	for _, file := range []string{"testdata/parser-controls.jsonl", "testdata/bypass.jsonl"} {
		for _, a := range lines[attack](f, file) {
			f.Add(a.Command, "sh")
		}
	}
	f.Add("a 'b' \\\n c | d & e # f\n", "mksh")
	f.Fuzz(func(t *testing.T, command, shell string) {
		first := analyze(t, &gavel.Environment{Shell: shell, Executables: map[string]string{}}, command)
		environment := everywhere(first)
		exec := analyze(t, environment, command)
		once, err := json.Marshal(exec)
		require.NoError(t, err)
		twice, err := json.Marshal(analyze(t, environment, command))
		require.NoError(t, err)
		require.Equal(t, string(once), string(twice), "%q is read in two ways", command)
		seen := 0
		for _, segment := range exec.Segments {
			require.LessOrEqual(t, seen, segment.Start)
			require.Less(t, segment.Start, segment.End)
			seen = segment.End
		}
		require.LessOrEqual(t, seen, len(command))
		assertRenderedRuns(t, t, exec)
	})
}
