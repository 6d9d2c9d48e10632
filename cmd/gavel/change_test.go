package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
	"gavel/internal/cases"
	"gavel/internal/secrets"
	"gavel/rego"
)

// everyProgram returns an environment in which each word of a sample that could name a program does so.
func everyProgram(c sample) *gavel.Environment {
	executables := map[string]string{}
	words := strings.FieldsFunc(c.Command, func(r rune) bool { return strings.ContainsRune(" \t\n'\"|;&=()<>$`{}", r) })
	for _, name := range slices.Concat(words, c.Allowed, c.Bins) {
		executables[programAt(name)] = programAt(name)
		if !strings.Contains(name, "/") {
			executables[name] = programAt(name)
		}
	}
	return &gavel.Environment{Cwd: workspace, Home: "/home/u", Path: []string{"/usr/bin"}, Shell: strings.TrimSuffix(c.Dialect, "5.3"),
		Executables: executables}
}

// corpusCommands returns the commands of all corpora.
func corpusCommands(t *testing.T) []sample {
	t.Helper()
	commands := attackCommands(t)
	for _, name := range []string{"everyday", "own", "daily"} {
		commands = append(commands, jsonLines[sample](t, filepath.Join("testdata", "starter", name+".jsonl"))...)
	}
	commands = append(commands, list(t, "benign.jsonl")...)
	commands = append(commands, list(t, "parser-controls.jsonl")...)
	type differential struct{ ID, Script string }
	for _, d := range jsonLines[differential](t, filepath.Join("..", "..", "analyzer", "testdata", "parser-differentials.jsonl")) {
		commands = append(commands, sample{ID: d.ID, Command: d.Script, Dialect: "bash"})
	}
	return commands
}

// attackCommands returns the commands of the corpora that the starter must not allow.
func attackCommands(t *testing.T) []sample {
	t.Helper()
	return append(list(t, "bypass.jsonl"), jsonLines[sample](t, filepath.Join("testdata", "starter", "options.jsonl"))...)
}

// TestEveryRefusalHasAChangeOrSaysWhyNot decides the corpora under the shipped configuration
// and the starter's. Of each refusal, the change is written to the file, which is loaded again as
// it would be by anybody, and must allow the call, or ask only what the policy asks on purpose; or the reason is stated why there is none. A
// change permits no attack of the corpora, which is tried for some changes. The share is printed. A policy is loaded for
// each change, so make test-all takes every third command, and make test takes fewer.
func TestEveryRefusalHasAChangeOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	files, err := starterFiles("")
	require.NoError(t, err)
	for name, configuration := range map[string][]byte{"default": rego.DefaultConfig, "starter": files["config.yaml"]} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusals := refusalCount{configuration: configuration, file: filepath.Join(t.TempDir(), "config.yaml")}
			refusals.app, _, _ = testApp("")
			var err error
			refusals.app.programs, err = bundles.NewCompileCache()
			require.NoError(t, err)
			before := refusals.load(t, configuration)
			if name == "starter" {
				refusals.attacks = attacksRefused(t, before)
			}
			var third []sample
			for i, c := range corpusCommands(t) {
				if i%3 == 0 {
					third = append(third, c)
				}
			}
			for i, c := range cases.Some(third, attackEvery) {
				refusals.change(t, before, c, !cases.All() || i%attackEvery == 0)
			}
			require.Positive(t, refusals.refused, "nothing is refused")
			t.Logf("%s: %d of %d refused calls have a verified change (%d %%), the others a stated reason", name,
				refusals.changed, refusals.refused, 100*refusals.changed/refusals.refused)
		})
	}
}

// attackEvery is the distance of the commands, among those of make test-all, whose changes are tried with all attacks.
// make test takes only these.
const attackEvery = 16

// refusalCount counts the refusals of one configuration, and those of them that have a change.
type refusalCount struct {
	app              *app
	configuration    []byte
	file             string
	refused, changed int
	attacks          []gavel.Call // that no change for another command may permit
}

// attacksRefused returns the calls of the attacks that a policy refuses.
func attacksRefused(t *testing.T, pdp *gavel.PDP) (refused []gavel.Call) {
	t.Helper()
	for _, c := range attackCommands(t) {
		call := sampleCall(c)
		if pdp.Decide(t.Context(), call, gavel.Options{}).Effect != gavel.Allow {
			refused = append(refused, call)
		}
	}
	return refused
}

func sampleCall(c sample) gavel.Call {
	return gavel.Call{Agent: gavel.Agent{ID: "coder"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": c.Command}},
		Environment: everyProgram(c)}
}

// admitsNoAttack decides the attacks with one of the programs of a rule that was added. A program without any
// words is exempt: some attacks do no more than to run it. So is an attack that runs this program exactly as the call
// does, however it is written: the change is for that.
func (r *refusalCount) admitsNoAttack(t *testing.T, after *gavel.PDP, c sample, exec *gavel.ExecFacts, change *gavel.Change) {
	t.Helper()
	permitted := meanings(exec)
	added := regexp.MustCompile(`(?m)^\+.*\{program: ([^,]+), (.*)effect: allow`).FindAllStringSubmatch(change.Patch, -1)
	for _, rule := range added {
		if rule[2] == "options: [], operands: [], " {
			continue
		}
		word := regexp.MustCompile(`(^|[^A-Za-z0-9_-])` + regexp.QuoteMeta(rule[1]) + `($|[^A-Za-z0-9_-])`)
		for _, attack := range r.attacks {
			command, _ := attack.Tool.Params["command"].(string)
			if command == c.Command || !word.MatchString(command) {
				continue
			}
			d := after.Decide(t.Context(), attack, gavel.Options{Explain: true})
			if d.Effect != gavel.Allow {
				continue
			}
			runs := meanings(d.Facts.Exec)
			maps.DeleteFunc(runs, func(meaning string, _ bool) bool { return !strings.HasPrefix(meaning, path.Base(rule[1])+" ") })
			assert.NotEmpty(t, runs, "the change for %s permits %s:\n%s", c.Command, command, change.Patch)
			for meaning := range runs {
				assert.Contains(t, permitted, meaning, "the change for %s permits %s:\n%s", c.Command, command, change.Patch)
			}
		}
	}
}

// meanings returns the program, options and operands of each segment, in one spelling and order.
func meanings(exec *gavel.ExecFacts) map[string]bool {
	set := map[string]bool{}
	for _, segment := range exec.Segments {
		var words []string
		for _, option := range segment.Options {
			words = append(words, fmt.Sprint(option.Names, option.HasValue, option.Dynamic, strconv.Quote(option.Value)))
		}
		for _, operand := range segment.Operands {
			words = append(words, fmt.Sprint(operand.Dynamic, strconv.Quote(operand.Text)))
		}
		slices.Sort(words)
		set[segment.Executable.Name+" "+strings.Join(words, " ")] = true
	}
	return set
}

func (r *refusalCount) load(t *testing.T, configuration []byte) *gavel.PDP {
	t.Helper()
	require.NoError(t, os.WriteFile(r.file, configuration, 0o600))
	pdp, err := r.app.load(t.Context(), r.file)
	require.NoError(t, err, "%s", configuration)
	return pdp
}

// change decides a sample and tries its change, with the attacks or without.
func (r *refusalCount) change(t *testing.T, before *gavel.PDP, c sample, attack bool) {
	t.Helper()
	call := sampleCall(c)
	decision := before.Decide(t.Context(), call, gavel.Options{Change: true, ChangeTime: fixTime, Explain: true})
	if decision.Effect == gavel.Allow {
		return
	}
	for _, reason := range decision.Reasons {
		startsWithCommand(t, reason, decision.Facts.Exec)
	}
	r.refused++
	change := decision.Change
	if !assert.NotNil(t, change, c.Command) || change.None != "" {
		return
	}
	r.changed++
	assert.NotEmpty(t, change.Admits, c.Command)
	assert.NotEqual(t, "deny", change.Decision, c.Command)
	after := r.load(t, applyPatch(t, string(r.configuration), change.Patch))
	again := after.Decide(t.Context(), call, gavel.Options{})
	assert.Equal(t, change.Decision, again.Effect.String(), "%s:\n%s%+v", c.Command, change.Patch, again.Reasons)
	if attack {
		r.admitsNoAttack(t, after, c, decision.Facts.Exec, change)
	}
}

// startsWithCommand reports whether a message about a segment begins with its words.
func startsWithCommand(t *testing.T, reason gavel.Reason, exec *gavel.ExecFacts) {
	t.Helper()
	switch reason.Code {
	case "exec.allowlist_miss", "exec.not_found", "exec.opaque_program", "exec.link", "exec.builtin", "exec.dynamic", "exec.login_shell",
		"exec.wrapper_untrusted", "exec.hazard", "exec.safe_bin_refused", "exec.rule_miss":
	default:
		return
	}
	var commands []string
	shown := func(argv []string) {
		text, _ := secrets.New().Text(strings.Join(argv, " "))
		commands = append(commands, text)
	}
	for _, segment := range exec.Segments {
		shown(segment.Argv)
		for _, wrapper := range segment.Wrappers {
			shown(wrapper.Argv)
		}
	}
	assert.True(t, slices.ContainsFunc(commands, func(words string) bool {
		plain := func(text string) string { // some words are quoted, and all are on one line
			unquoted := strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(text)
			return regexp.MustCompile(`[ \t\n\f\r]+`).ReplaceAllString(unquoted, " ")
		}
		line, message := plain(words), plain(reason.Message)
		head, _, cut := strings.Cut(message, "…")
		return strings.HasPrefix(message, line) || cut && strings.HasPrefix(line, head)
	}), "%s: %s", reason.Code, reason.Message)
}

// No edit lets an agent write what belongs to the system or to other people: neither a rule, nor an entry
// in a list of files. Reading one named file is another matter.
func TestNoChangeIsOfferedForFilesOfTheSystem(t *testing.T) {
	t.Parallel()
	commands := []string{"rm -rf /", "rm -rf /usr", "rm -rf /var", "rm -rf /home/other/x", "dd if=/dev/zero of=/dev/sda", "mkfs.ext4 /dev/sda1", "wipefs -a /dev/sda",
		"shred /dev/sda", "chmod -R 777 /", "chown root /etc/foo", "cp a.py /etc/foo", "mkdir /etc/foo", "touch /etc/foo", "tee /etc/motd",
		"tar xf a.tar -C /", "unzip a.zip -d /etc", "install -m 755 a.py /usr/local/bin/a", "truncate -s 0 /etc/passwd", "echo x > /etc/passwd",
		"echo x > /dev/sda", "sudo rm -rf /usr", "true && rm -rf /etc/nginx"}
	list := make([]wanted, len(commands))
	for i, command := range commands {
		list[i].Command = command
	}
	pdp := starterPDP(t, "claude-code")
	for i, call := range asCalls("claude-code", list) {
		d := pdp.Decide(t.Context(), call, gavel.Options{Change: true, ChangeTime: fixTime})
		if assert.NotNil(t, d.Change, commands[i]) {
			assert.Contains(t, d.Change.None, "of the system or of other people", "%s\n%s", commands[i], d.Change.Patch)
		}
		for _, reason := range d.Reasons {
			if reason.Code != "exec.wrapper_untrusted" { // which is about sudo, and not about the file
				assert.NotRegexp(t, `^add|or add`, reason.Fix, commands[i])
			}
		}
	}
	reading := asCalls("claude-code", []wanted{{Command: "cat /etc/hosts"}})[0]
	d := pdp.Decide(t.Context(), reading, gavel.Options{Change: true, ChangeTime: fixTime})
	assert.Contains(t, d.Change.Patch, "operands: [/etc/hosts]")
}

// applyPatch applies a unified diff to a text, line by line, and finds every line of it.
func applyPatch(t *testing.T, text, patch string) []byte {
	t.Helper()
	old := strings.SplitAfter(text, "\n")
	var now strings.Builder
	at := 0
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"), strings.HasPrefix(line, `\`):
		case strings.HasPrefix(line, "@@"):
			for start := hunkStart(t, line); at < start; at++ {
				now.WriteString(old[at])
			}
		case line[0] == '+':
			now.WriteString(line[1:])
		default:
			require.Equal(t, old[at], line[1:], patch)
			if at++; line[0] == ' ' {
				now.WriteString(line[1:])
			}
		}
	}
	now.WriteString(strings.Join(old[at:], ""))
	return []byte(now.String())
}

// hunkStart is the index of the first line of a hunk in the old text.
func hunkStart(t *testing.T, header string) int {
	t.Helper()
	var line, count int
	_, err := fmt.Sscanf(header, "@@ -%d,%d", &line, &count)
	require.NoError(t, err, header)
	if count == 0 {
		return line // the hunk begins after this line
	}
	return line - 1
}
