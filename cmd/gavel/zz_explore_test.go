package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
	"gavel/rego"
)

type expRow struct {
	Policy, Set, Command, Want, Effect, After, None, Patch, Admits, ErrorText string
	Codes                                                                     []string
	Admitted                                                                  []string // attacks newly allowed
	WasAsk                                                                    bool
}

func TestZZExplore(t *testing.T) {
	files, err := starterFiles("claude-code")
	require.NoError(t, err)
	small := map[string][]byte{"starter": files["config.yaml"], "default": rego.DefaultConfig,
		"small": []byte("tools: {exec: {host: gateway, allowlist: [/usr/bin/ls, /usr/bin/git]}}\nagents: {claude-code: {}}\n"),
		"rules": []byte("tools:\n  exec:\n    host: gateway\n    rules:\n      - {program: git, commands: [status], effect: allow}\n      - {program: git, commands: [push], effect: ask, why: pushes leave this machine}\nagents:\n  claude-code: {}\n")}
	sets := map[string][]wanted{}
	at := filepath.Join("..", "..", "analyzer", "testdata")
	for _, f := range []string{"benign", "bypass", "parser-controls"} {
		sets[f] = jsonLines[wanted](t, filepath.Join(at, f+".jsonl"))
	}
	for _, f := range []string{"everyday", "own", "daily", "options"} {
		sets[f] = jsonLines[wanted](t, filepath.Join("testdata", "starter", f+".jsonl"))
	}
	type differential struct{ ID, Script string }
	for _, d := range jsonLines[differential](t, filepath.Join(at, "parser-differentials.jsonl")) {
		sets["diff"] = append(sets["diff"], wanted{ID: d.ID, Command: d.Script, Dialect: "bash"})
	}
	var attacks []wanted
	attacks = append(attacks, sets["bypass"]...)
	attacks = append(attacks, sets["options"]...)
	for _, s := range []string{"own", "daily", "everyday"} {
		for _, w := range sets[s] {
			if w.Want == "attack" {
				attacks = append(attacks, w)
			}
		}
	}
	attackCalls := asCalls("claude-code", attacks)
	only := os.Getenv("EXP")
	out, err := os.Create("/tmp/rf/explore-" + only + ".jsonl")
	require.NoError(t, err)
	defer out.Close()
	enc := json.NewEncoder(out)
	for name, conf := range small {
		if only != "" && name != only {
			continue
		}
		app, _, _ := testApp("")
		app.programs, err = bundles.NewCompileCache()
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "config.yaml")
		load := func(c []byte) (*gavel.PDP, error) {
			require.NoError(t, os.WriteFile(file, c, 0o600))
			return app.load(t.Context(), file)
		}
		before, err := load(conf)
		require.NoError(t, err)
		attackBefore := before.DecideAll(t.Context(), attackCalls, gavel.Options{})
		done := map[string]bool{}
		patches := map[string]*gavel.PDP{}
		for set, list := range sets {
			calls := asCalls("claude-code", list)
			for i, call := range calls {
				if done[list[i].Command] {
					continue
				}
				done[list[i].Command] = true
				d := before.Decide(t.Context(), call, gavel.Options{Change: true, ChangeTime: fixTime})
				if d.Effect == gavel.Allow {
					continue
				}
				r := expRow{Policy: name, Set: set, Command: list[i].Command, Want: list[i].Want, Effect: d.Effect.String(), Codes: codesOf(d)}
				if d.Change == nil {
					r.ErrorText = "no change and no reason"
				} else {
					r.None, r.Patch, r.Admits = d.Change.None, d.Change.Patch, d.Change.Admits
				}
				if r.Patch != "" {
					text := string(applyPatch(t, string(conf), r.Patch))
					after := patches[text]
					if after == nil {
						if after, err = load([]byte(text)); err != nil {
							r.ErrorText = err.Error()
						}
						patches[text] = after
					}
					if after != nil {
						again := after.Decide(t.Context(), call, gavel.Options{})
						r.After = again.Effect.String()
						if r.After != d.Change.Decision {
							r.ErrorText = "promised " + d.Change.Decision
						}
						if set != "bypass" && set != "options" && os.Getenv("ATT") != "" {
							// attacks that share a program
							var sel []int
							for k := range attacks {
								if attackBefore[k].Effect != gavel.Allow && shares(attacks[k].Command, r.Patch) {
									sel = append(sel, k)
								}
							}
							if len(sel) > 0 {
								cs := make([]gavel.Call, len(sel))
								for n, k := range sel {
									cs[n] = attackCalls[k]
								}
								for n, ad := range after.DecideAll(t.Context(), cs, gavel.Options{}) {
									if ad.Effect == gavel.Allow {
										r.Admitted = append(r.Admitted, attacks[sel[n]].Command)
									}
								}
							}
						}
					}
				}
				require.NoError(t, enc.Encode(r))
			}
		}
	}
}

// shares: some added program of the patch is a word of the command
func shares(command, patch string) bool {
	words := strings.FieldsFunc(patch, func(r rune) bool { return strings.ContainsRune(" \n{}[],:\"'/+-", r) })
	for _, w := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \n'\"|;&=()<>$`{}/", r) }) {
		if len(w) > 1 && slices.Contains(words, w) && !slices.Contains([]string{"program", "allow", "effect", "exec", "rules", "tools"}, w) {
			return true
		}
	}
	return false
}
