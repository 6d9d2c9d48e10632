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
	words := []string{}
	for _, segment := range exec.Segments {
		words = append(words, segment.Argv[0])
		for _, wrapper := range segment.Wrappers {
			words = append(words, wrapper.Argv[0])
		}
	}
	for _, word := range words {
		switch {
		case word == "cd", word == "trap": // the shell's own
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

func inMultiplexer(s gavel.Segment) bool {
	return len(s.Wrappers) > 0 && s.Wrappers[len(s.Wrappers)-1].Kind == "multiplexer"
}

// layers is the words of a segment's wrappers, with base names for programs.
func layers(s gavel.Segment) [][]string {
	all := [][]string{}
	for _, wrapper := range s.Wrappers {
		all = append(all, append([]string{wrapper.Executable.Name}, wrapper.Argv[1:]...))
	}
	return all
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
	assert.Equal(t, made(exec), made(again), "%q from %q", exec.Rendered, exec.Command)
	for i, segment := range exec.Segments {
		if segment.Builtin == "" && len(segment.Dynamic) == 0 { // directories are pinned, and what is run for a word is
			assert.Equal(t, segment.Argv[1:], again.Segments[i].Argv[1:], "%q from %q", exec.Rendered, exec.Command)
		}
		assert.Equal(t, segment.Dynamic, again.Segments[i].Dynamic, "%q from %q", exec.Rendered, exec.Command)
		assert.Equal(t, segment.Builtin, again.Segments[i].Builtin, "%q from %q", exec.Rendered, exec.Command)
		if segment.Builtin == "" && !inMultiplexer(segment) { // which have no path of their own
			assert.True(t, path.IsAbs(again.Segments[i].Argv[0]), "%q from %q", exec.Rendered, exec.Command)
		}
		assert.Equal(t, segment.Opaque == "", again.Segments[i].Opaque == "", "%q from %q", exec.Rendered, exec.Command)
		assert.Equal(t, layers(segment), layers(again.Segments[i]), "%q from %q", exec.Rendered, exec.Command)
	}
	assert.Equal(t, exec.Env, again.Env, "%q from %q", exec.Rendered, exec.Command)
	third := analyze(tb, everywhere(again), again.Rendered)
	assert.Equal(t, argvs(again), argvs(third))
	assert.Equal(t, again.Rendered, third.Rendered)
}

// made is what a command is made of besides its segments.
func made(exec *gavel.ExecFacts) []string {
	list := []string{}
	for _, construct := range exec.Constructs {
		list = append(list, construct.Kind)
	}
	for _, r := range exec.Redirects {
		operator := strings.Replace(r.Operator, "<<-", "<<", 1)
		list = append(list, r.Descriptor+operator+" "+r.Real)
	}
	return list
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
		command := wrap(rt, text.String())
		exec := analyze(t, claims(shell, "prog", "nice", "env", "bash", "dash", "mksh", "busybox"), command)
		if exec.Refusal != nil { // too many openings, or a continuation spelled by chance
			require.Contains(rt, []string{"limit", "guard"}, exec.Refusal.Kind, "%q: %+v", command, exec.Refusal)
			return
		}
		require.Equal(rt, want, argvs(exec), "%q", command)
		require.NotEmpty(rt, exec.Rendered)
		assertRenderedRuns(rt, t, exec)
	})
}

// wrap puts a command into shells, none to three deep, with dispatchers before them.
func wrap(rt *rapid.T, command string) string {
	for range rapid.IntRange(0, 3).Draw(rt, "depth") {
		command = rapid.SampledFrom([]string{"bash -ec ", "nice -n 1 dash -c ", "env A=1 mksh +x -c -- ", "busybox sh -c "}).Draw(rt, "wrapper") + spell(rt, command)
	}
	return command
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
	for _, command := range []string{"nice -n 5 env -i A=1 bash -ec 'ls; busybox sh -c \"a \\\"b c\\\" | d\"'", "timeout 5 busybox grep 'x y' f", "bash +x -co pipefail -- 'a && sh -c b &'"} {
		f.Add(command, "bash")
	}
	f.Add("a 'b' \\\n c | d & e # f\n", "mksh")
	for _, command := range []string{"for i in a $b *.c; do d \"$i\" > e 2>&1; done < f", "cat <<A <<'B' && c\n1 $x\nA\n2\nB",
		"if [[ -f a && $b == c* ]]; then d; elif ! e; then f; else g; fi", "case $a in b|c*) d;; esac | while read e; do f `g $h`; done",
		"(cd a && b > c) || { d; } & A=1 B=$(e) f <(g) >(h)", "export A=$B; set -e; trap 'rm -f $A; a && b' EXIT", "h() { i \"$@\"; }; h 1"} {
		f.Add(command, "bash")
		f.Add(command, "zsh")
		f.Add(command, "dash")
	}
	f.Fuzz(func(t *testing.T, command, shell string) {
		first := analyze(t, &gavel.Environment{Shell: shell, Executables: map[string]string{}}, command)
		environment := everywhere(first)
		exec := analyze(t, environment, command)
		once, err := json.Marshal(exec)
		require.NoError(t, err)
		twice, err := json.Marshal(analyze(t, environment, command))
		require.NoError(t, err)
		require.Equal(t, string(once), string(twice), "%q is read in two ways", command)
		for _, segment := range exec.Segments {
			require.Less(t, segment.Start, segment.End)
			require.LessOrEqual(t, segment.End, len(command))
		}
		assertRenderedRuns(t, t, exec)
	})
}
