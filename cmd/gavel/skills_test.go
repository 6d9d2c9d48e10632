package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// skillMachine is a machine with a skill outside the workspace, and a policy that lets programs of
// skills run for one of its agents.
type skillMachine struct {
	root string
	pdp  *gavel.PDP
	call gavel.Call
}

func newSkilled(t *testing.T) *skillMachine {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"home", "skills/mail", "work", "other"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	program := root + "/skills/mail/gog"
	for _, file := range []string{program, root + "/other/gog", root + "/work/gog"} {
		require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\nexit 0\n"), 0o755))
	}
	config, err := json.Marshal(map[string]any{"tools": map[string]any{"exec": map[string]any{"host": "gateway", "ask": "off"}},
		"agents": map[string]any{"main": map[string]any{"exec": map[string]any{"autoAllowSkills": true}}, "plain": map[string]any{}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(root+"/config.json", config, 0o600))
	a, _, _ := testApp("")
	pdp, err := a.load(t.Context(), root+"/config.json")
	require.NoError(t, err)
	return &skillMachine{root: root, pdp: pdp, call: gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "gog send"}},
		Environment: &gavel.Environment{Cwd: root + "/work", Home: root + "/home", Path: []string{root + "/skills/mail"},
			Skills: map[string]gavel.Skill{"gog": {Skill: "mail", Program: program, SHA256: digestOf(t, program)}}}}}
}

func digestOf(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func TestAProgramThatASkillHasRegisteredRuns(t *testing.T) {
	t.Parallel()
	s := newSkilled(t)
	d := s.pdp.Decide(t.Context(), s.call, gavel.Options{Explain: true})
	require.Equal(t, gavel.Allow, d.Effect, "%+v", d.Reasons)
	assert.Equal(t, "skills", d.Exec.Segments[0].By)
	assert.Equal(t, "'"+s.root+"/skills/mail/gog' 'send'", d.Exec.Command)
	codes := []string{}
	for _, reason := range d.Reasons {
		codes = append(codes, reason.Code)
	}
	assert.Contains(t, codes, "exec.skill")
	assert.Equal(t, s.call.Environment.Skills["gog"].SHA256, d.Facts.Exec.Segments[0].Skill.Content)
}

// Whatever is not exactly the registered file, called by its bare name, needs an entry.
func TestOnlyTheRegisteredFileRunsWithoutAnEntry(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, s *skillMachine){
		"an agent without the setting": func(_ *testing.T, s *skillMachine) { s.call.Agent.ID = "plain" },
		"nobody registered it":         func(_ *testing.T, s *skillMachine) { s.call.Environment.Skills = nil },
		"another name is registered":   func(_ *testing.T, s *skillMachine) { s.register("Gog", s.skill()) },
		"the full path of the program": func(_ *testing.T, s *skillMachine) { s.run(s.root + "/skills/mail/gog send") },
		"a relative path":              func(_ *testing.T, s *skillMachine) { s.run("../skills/mail/gog send") },
		"the name leads elsewhere": func(_ *testing.T, s *skillMachine) {
			s.call.Environment.Path = []string{s.root + "/other", s.root + "/skills/mail"}
		},
		"the text changes where it leads": func(_ *testing.T, s *skillMachine) { s.run("PATH=" + s.root + "/other gog send") },
		"a variable is set":               func(_ *testing.T, s *skillMachine) { s.run("A=1 gog send") },
		"a word is produced at run time":  func(_ *testing.T, s *skillMachine) { s.run("gog *") },
		"it is redirected":                func(_ *testing.T, s *skillMachine) { s.run("gog send > x") },
		"another program follows":         func(_ *testing.T, s *skillMachine) { s.run("gog send && " + s.root + "/other/gog") },
		"the machine is claimed": func(_ *testing.T, s *skillMachine) {
			s.call.Environment.Executables = map[string]string{"gog": s.root + "/skills/mail/gog"}
		},
		"the workspace is around it": func(_ *testing.T, s *skillMachine) { s.call.Environment.Workspace = s.root },
		"it is in the workspace":     func(t *testing.T, s *skillMachine) { s.inWorkspace(t) },
		"an agent's credential states it": func(_ *testing.T, s *skillMachine) {
			s.call.Caller = &gavel.CallerFacts{Kind: gavel.CallerAgent, Agents: []string{"*"}, Claims: gavel.AllClaims()}
		},
		"it was changed since": func(t *testing.T, s *skillMachine) {
			require.NoError(t, os.WriteFile(s.root+"/skills/mail/gog", []byte("#!/bin/sh\nevil\n"), 0o755))
		},
		"it is a link to another program":         func(t *testing.T, s *skillMachine) { s.relink(t) },
		"the registered path is not the real one": func(t *testing.T, s *skillMachine) { s.byLink(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSkilled(t)
			change(t, s)
			d := s.pdp.Decide(t.Context(), s.call, gavel.Options{Explain: true})
			assert.Equal(t, gavel.Deny, d.Effect, "%+v", d.Reasons)
		})
	}
}

func (s *skillMachine) skill() gavel.Skill { return s.call.Environment.Skills["gog"] }

func (s *skillMachine) register(name string, skill gavel.Skill) {
	s.call.Environment.Skills = map[string]gavel.Skill{name: skill}
}

func (s *skillMachine) run(command string) { s.call.Tool.Params = map[string]any{"command": command} }

// inWorkspace registers a program that is in the workspace.
func (s *skillMachine) inWorkspace(t *testing.T) {
	t.Helper()
	program := s.root + "/work/gog"
	s.call.Environment.Path = []string{s.root + "/work"}
	s.register("gog", gavel.Skill{Skill: "mail", Program: program, SHA256: digestOf(t, program)})
}

// relink puts a link to another program with the same content in the place of the program.
func (s *skillMachine) relink(t *testing.T) {
	t.Helper()
	require.NoError(t, os.Remove(s.root+"/skills/mail/gog"))
	require.NoError(t, os.Symlink(s.root+"/other/gog", s.root+"/skills/mail/gog"))
}

// byLink registers the program by a path that is a link to it.
func (s *skillMachine) byLink(t *testing.T) {
	t.Helper()
	require.NoError(t, os.Symlink(s.root+"/skills", s.root+"/link"))
	skill := s.skill()
	skill.Program = s.root + "/link/mail/gog"
	s.register("gog", skill)
}
