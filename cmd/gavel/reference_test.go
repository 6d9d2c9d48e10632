package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/analyzer/programs"
	"gavel/rego"
)

// referenceCase is one case of the reference behaviour. Which members of its input
// there are depends on what it is about.
type referenceCase struct {
	Area, Name, Why string
	Input           struct {
		Op, Host, Command, Path, Cwd, Home, Bin, Name string
		Security, Ask                                 string
		Strict                                        bool `json:"strictInlineEval"`
		Argv, Args, Entries                           []string
		Executables, Symlinks                         map[string]string
		Allowlist                                     []map[string]any
		SafeBins                                      any
		SafeBinProfiles                               map[string]any
		Global, Agent                                 map[string]any
	}
	Expect, Safer struct {
		Decision                          string
		OK, Ran, InterpreterLike          *bool
		Hit                               *string
		Bins, SafeBins, TrustedDirs       []string
		AllowedValueFlags, DeniedFlags    []string
		MinPositional, MaxPositional      *int
		Profiles                          map[string]any
		Unprofiled, UnprofiledInterpreter []string
		Error, Event                      string
	}
	Bug bool `json:"reference_bug"`
}

// probe is a call that shows what became of a case, and its configuration.
type probe struct {
	exec        map[string]any // settings of the agent that calls
	command     string
	executables map[string]string
	path        []string
	cwd, home   string
	want        string // allow, ask, or refused for ask or deny
}

// difference is what Gavel does otherwise, by which ruling, and why.
type difference struct{ Got, Ruling, Why string }

func referenceCases(t *testing.T, area string) []referenceCase {
	t.Helper()
	return jsonLines[referenceCase](t, filepath.Join("testdata", "reference", area+".jsonl"))
}

// TestReferenceCases runs every case of two areas of the reference behaviour through
// the shipped policy. Where the answer is another one, differences.yaml says which,
// and by what ruling. No case may be missing, and no difference may be out of date.
func TestReferenceCases(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "reference", "differences.yaml"))
	require.NoError(t, err)
	var differences map[string]map[string]difference
	require.NoError(t, yaml.Unmarshal(text, &differences))
	for area, count := range map[string]int{"safe-bin": 303, "inline-eval": 72} {
		t.Run(area, func(t *testing.T) {
			t.Parallel()
			cases := referenceCases(t, area)
			require.Len(t, cases, count)
			left := maps.Clone(differences[area])
			for i, got := range answers(t, cases) {
				c := cases[i]
				known, differs := left[c.Name]
				delete(left, c.Name)
				if !differs {
					assert.Empty(t, got, "%s (%s)", c.Name, c.Why)
					continue
				}
				assert.Equal(t, known.Got, got, "%s", c.Name)
				assert.NotEmpty(t, known.Ruling, c.Name)
				assert.NotEmpty(t, known.Why, c.Name)
			}
			assert.Empty(t, left, "differences of cases that there are not")
		})
	}
}

// answers returns, case by case, what is otherwise than expected; "" for nothing.
func answers(t *testing.T, cases []referenceCase) []string {
	t.Helper()
	list := make([]string, len(cases))
	agents := map[string]any{}
	var calls []gavel.Call
	var wants []string
	var of []int
	for i, c := range cases {
		probes, other := probesOf(t, c)
		list[i] = other
		for n, p := range probes {
			id := fmt.Sprintf("c%dp%d", i, n)
			agents[id] = map[string]any{"exec": p.exec}
			calls = append(calls, gavel.Call{Agent: gavel.Agent{ID: id},
				Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": p.command}},
				Environment: &gavel.Environment{Cwd: p.cwd, Home: p.home, Path: p.path, Platform: "linux",
					Executables: p.executables}})
			wants, of = append(wants, p.want), append(of, i)
		}
	}
	pdp := loaded(t, map[string]any{"agents": agents})
	for i, d := range pdp.DecideAll(t.Context(), calls, gavel.Options{}) {
		got := d.Effect.String()
		if got == wants[i] || wants[i] == "refused" && d.Effect != gavel.Allow {
			continue
		}
		list[of[i]] = strings.TrimSpace(list[of[i]] + " " + got + ": " + d.Reasons[0].Code)
	}
	return list
}

// probesOf turns a case into calls, or says at once what is otherwise.
func probesOf(t *testing.T, c referenceCase) ([]probe, string) {
	t.Helper()
	usr := func(names ...string) map[string]string {
		list := map[string]string{}
		for _, name := range names {
			list[path.Base(name)] = "/usr/bin/" + path.Base(name)
		}
		return list
	}
	in := c.Input
	switch in.Op {
	case "":
		return []probe{{exec: c.exec(), command: in.Command, executables: in.Executables,
			path: strings.Split(in.Path, ":"), cwd: in.Cwd, home: in.Home, want: c.decision()}}, ""
	case "validateSafeBinArgv":
		return []probe{{exec: execSettings(map[string]any{"safeBins": []string{in.Bin}}), command: shellWords(append([]string{in.Bin}, in.Args...)),
			executables: usr(in.Bin), want: effectIf(*c.Expect.OK, "allow", "ask")}}, ""
	case "detectInlineEval":
		hit := c.Expect.Hit
		if c.Safer.Hit != nil || c.Bug || c.Name == `detect ["python3","s.py","-c","x"]` {
			hit = c.Safer.Hit
		}
		return []probe{{exec: execSettings(map[string]any{"security": "full", "ask": "off", "strictInlineEval": true}),
			command: shellWords(in.Argv), executables: usr(in.Argv...), want: effectIf(hit != nil, "ask", "allow")}}, ""
	case "systemRun":
		ran := *c.Expect.Ran
		if c.Bug {
			ran = *c.Safer.Ran
		}
		executables := maps.Clone(in.Executables)
		for link, target := range in.Symlinks {
			executables[link], executables[path.Base(link)] = target, target
			executables["/bin/"+path.Base(link)] = target
		}
		return []probe{{exec: c.exec(), command: shellWords(in.Argv), executables: executables,
			path: strings.Split(in.Path, ":"), home: in.Home, want: effectIf(ran, "allow", "refused")}}, ""
	case "interpreterLike":
		name := path.Base(strings.TrimSpace(in.Name))
		if strings.ContainsAny(name, `\`) {
			name = name[strings.LastIndexByte(name, '\\')+1:]
		}
		return []probe{{exec: execSettings(map[string]any{"safeBins": []string{name}, "safeBinProfiles": map[string]any{name: map[string]any{}}}),
			command: shellWords([]string{name}), executables: map[string]string{name: "/usr/bin/" + strings.ToLower(name)},
			want: effectIf(*c.Expect.InterpreterLike, "ask", "allow")}}, ""
	}
	return c.tables(t)
}

// sharedCatalog is the shipped catalog of programs. Many cases look at it.
var sharedCatalog = sync.OnceValues(func() (*programs.Catalog, error) { return programs.Read(rego.Policy) })

// tables answers the cases that are about what is configured.
func (c referenceCase) tables(t *testing.T) ([]probe, string) {
	t.Helper()
	catalog, err := sharedCatalog()
	require.NoError(t, err)
	bins := catalog.View().SafeBins
	switch c.Input.Op {
	case "defaultSafeBins":
		return nil, effectIf(sameNames(bins.Default, c.Expect.SafeBins), "", fmt.Sprint(bins.Default))
	case "safeBinProfile":
		p := bins.Profiles[c.Input.Bin]
		var values []string
		for option, kind := range p.Options {
			if kind != "flag" {
				values = append(values, option)
			}
		}
		return nil, strings.TrimSpace(others("min", p.Operands.Min, number(c.Expect.MinPositional)) + others("max", p.Operands.Max, number(c.Expect.MaxPositional)) +
			listDifference("value flags", c.Expect.AllowedValueFlags, values) + listDifference("denied", c.Expect.DeniedFlags, p.Denied))
	case "riskySafeBins":
		return nil, warned(t, c)
	case "safeBinConfig":
		return configured(t, c)
	}
	require.Fail(t, "nothing here runs "+c.Input.Op, c.Name)
	return nil, ""
}

func number(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func others(what string, got, want int) string {
	return effectIf(got == want, "", fmt.Sprintf("%s is %d. ", what, got))
}

// listDifference describes the elements that only one of two lists has.
func listDifference(what string, want, got []string) string {
	var text []string
	for _, name := range got {
		if !slices.Contains(want, name) {
			text = append(text, "+"+name)
		}
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			text = append(text, "without "+name)
		}
	}
	if len(text) == 0 {
		return ""
	}
	return what + " " + strings.Join(text, " ") + ". "
}

func (c referenceCase) decision() string {
	if c.Bug {
		return c.Safer.Decision
	}
	return c.Expect.Decision
}

func sameNames(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

func effectIf(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// shellWords writes words as a command that means exactly them.
func shellWords(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
	}
	return strings.Join(words, " ")
}
