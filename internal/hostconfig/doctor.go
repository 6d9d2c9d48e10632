package hostconfig

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Report is what doctor found about one host.
type Report struct {
	Host    string `json:"host"`
	Title   string `json:"title"`
	Present bool   `json:"present"` // the host, or its settings, are on this machine
	Program string `json:"program,omitempty"`
	Version string `json:"version,omitempty"`
	// Installed are the files with Gavel's hooks.
	Installed []string  `json:"installed"`
	Problems  []Problem `json:"problems"` // none: the hooks hold
	Proofs    []string  `json:"proofs"`   // what the configured hooks answered to a probe
	Notes     []string  `json:"notes"`    // what gets past Gavel on this host, whatever is installed
	Unhooked  []string  `json:"unhooked"` // what this host never asks its hooks about, as far as is known
}

// Problem is something by which a call can get past Gavel, and what to do.
type Problem struct {
	What string `json:"what"`
	Fix  string `json:"fix"`
}

// Doctor examines hosts on a machine.
type Doctor struct {
	Machine
	// Look finds a program, and Run runs one with a text on standard input.
	Look func(name string) (string, error)
	Run  func(ctx context.Context, input string, program string, args ...string) Ran
}

// Ran is how a program ended.
type Ran struct {
	Stdout, Stderr string
	Exit           int
	Err            error // it could not be run, or did not end in time
}

// runsWithin is how long a host's program, or a hook, may take.
const runsWithin = 20 * time.Second

// Run runs a program of this machine.
func Run(ctx context.Context, input, program string, args ...string) Ran {
	ctx, cancel := context.WithTimeout(ctx, runsWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // what is configured is what is to be tried
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), "GAVEL_PROBE=1") // no answer permits anything, and nobody is asked
	cmd.Stdin = strings.NewReader(input)
	var out, errors strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errors
	err := cmd.Run()
	ran := Ran{Stdout: out.String(), Stderr: errors.String(), Exit: cmd.ProcessState.ExitCode(), Err: err}
	if ctx.Err() != nil {
		ran.Err = fmt.Errorf("it did not finish within %s", runsWithin)
	} else if ran.Exit >= 0 {
		ran.Err = nil
	}
	return ran
}

// Examine says whether Gavel's hooks of a host hold.
func (d Doctor) Examine(ctx context.Context, host Host) Report {
	r := Report{Host: host.Name, Title: host.Title, Installed: []string{}, Problems: []Problem{}, Proofs: []string{}, Notes: append([]string{}, host.Notes...),
		Unhooked: append([]string{}, host.Unhooked...)}
	if program, err := d.Look(host.Program); err == nil {
		r.Program, r.Present = program, true
		r.Version = regexp.MustCompile(`\d+\.\d+\.\d+`).FindString(d.Run(ctx, "", program, "--version").Stdout)
	}
	if host.Manual != "" {
		if r.Present {
			r.problem(host.Title+" is not checked by doctor", host.Manual)
		}
		return r
	}
	var hooks []hook
	seen := map[string]bool{}
	for _, level := range slices.Sorted(maps.Keys(host.Levels)) {
		name, err := d.File(host, level)
		if err == nil && seen[name] {
			continue // in the home directory, the user's file is the project's
		}
		seen[name] = true
		hooks = append(hooks, d.level(&r, host, level)...)
	}
	if len(r.Installed) > 0 {
		r.Present = true // the host may be elsewhere, an extension or not on PATH
	}
	if !r.Present {
		return r
	}
	if r.Program == "" && host.Since.Version != "" {
		r.Notes = append(r.Notes, host.Program+" is not on PATH, so its version was not checked: "+host.Since.Version+" or later is needed")
	}
	if len(r.Installed) == 0 {
		r.problem("Gavel's hooks are not installed: no call of "+host.Title+" is judged", "run gavel install "+host.Name)
		return r
	}
	if host.Since.Version != "" && r.Version != "" && older(r.Version, host.Since.Version) {
		r.problem(fmt.Sprintf("version %s is older than %s: %s", r.Version, host.Since.Version, host.Since.Why), "update "+host.Title)
	}
	d.switches(&r, host)
	if host.Trust == "codex" {
		d.trust(ctx, &r)
	}
	for _, hook := range hooks {
		d.probe(ctx, &r, host, hook)
	}
	return r
}

func (r *Report) problem(what, fix string) { r.Problems = append(r.Problems, Problem{what, fix}) }

// alone notes that the hooks in a file are told that nobody is there.
func (r *Report) alone(file string) {
	r.Notes = append(r.Notes, file+" says that nobody is there to be asked ("+unattended+"): a question is a refusal with the id of the approval")
}

// hook is one of Gavel's hooks as it is configured.
type hook struct {
	file    string
	command []string
}

// level looks at the file of one level. It returns the hooks there that run different
// commands.
func (d Doctor) level(r *Report, host Host, level string) []hook {
	name, err := d.File(host, level)
	if err != nil {
		r.problem(err.Error(), "")
		return nil
	}
	if info, err := os.Stat(filepath.Dir(name)); err == nil && info.IsDir() && level == User && !host.Guest {
		r.Present = true
	}
	text, err := read(name)
	if err != nil {
		r.problem(err.Error(), "make the file readable, and run gavel doctor again")
		return nil
	}
	fix := fmt.Sprintf("run gavel install %s --%s", host.Name, level)
	switch {
	case text == nil:
		return nil
	case host.Plugin:
		return d.pluginAt(r, name, fix)
	case host.Script != "":
		return d.scriptAt(r, host, name, text, fix)
	}
	doc, err := parse(text)
	if err != nil {
		r.problem(fmt.Sprintf("%s cannot be read: %v", name, err), "correct it; "+host.Title+" may read no hooks at all")
		return nil
	}
	var found []hook
	var missing []string
	for _, list := range host.Lists {
		mine := hooksIn(doc, list.At)
		if len(mine) == 0 {
			missing = append(missing, list.At)
		}
		for _, object := range mine {
			d.required(r, host, name, list.At, object, fix)
			command := commandOf(object)
			if slices.Contains(command, unattended) && !strings.HasSuffix(fix, unattended) {
				fix += " " + unattended
				r.alone(name)
			}
			if !slices.ContainsFunc(found, func(h hook) bool { return slices.Equal(h.command, command) }) {
				found = append(found, hook{name, command})
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	r.Installed = append(r.Installed, name)
	if len(missing) > 0 {
		r.problem(fmt.Sprintf("%s has no hook of Gavel in %s", name, strings.Join(missing, ", ")), fix)
	}
	return found
}

// hooksIn are Gavel's hooks in a list, without the groups around them.
func hooksIn(doc *document, path string) []map[string]any {
	value, _ := doc.get(path)
	elements, _ := value.([]any)
	var list []map[string]any
	for _, element := range elements {
		object, _ := element.(map[string]any)
		inner, grouped := object["hooks"].([]any)
		if !grouped {
			inner = []any{element}
		}
		for _, hook := range inner {
			if isGavel(hook) {
				list = append(list, hook.(map[string]any)) //nolint:forcetypeassert // isGavel saw to it
			}
		}
	}
	return list
}

func (d Doctor) required(r *Report, host Host, name, at string, one map[string]any, fix string) {
	for _, required := range host.Required {
		if required.In == at && !same(one[required.Member], required.Is) {
			r.problem(fmt.Sprintf("the hook in %s of %s fails open: %s", at, name, required.Why), fix)
		}
	}
}

func (d Doctor) scriptAt(r *Report, host Host, name string, text []byte, fix string) []hook {
	attended, _ := d.filled(host, host.Script).(string)
	d.Unattended = true
	alone, _ := d.filled(host, host.Script).(string)
	if string(text) != attended && string(text) != alone {
		if strings.Contains(string(text), "gavel") {
			r.Installed = append(r.Installed, name)
			r.problem(name+" is not the hook that this version of Gavel installs", fix)
		}
		return nil
	}
	r.Installed = append(r.Installed, name)
	if string(text) == alone {
		r.alone(name)
	}
	return []hook{{name, []string{name}}}
}

func (d Doctor) pluginAt(r *Report, name, fix string) []hook {
	r.Installed = append(r.Installed, name)
	changed := false
	for _, inner := range slices.Sorted(maps.Keys(d.Plugin)) {
		file := filepath.Join(filepath.Dir(name), inner)
		if have, _ := read(file); !bytes.Equal(have, d.Plugin[inner]) {
			r.problem(file+" is not the file that this version of Gavel installs", fix)
			changed = true
		}
	}
	if changed {
		return nil // somebody else's code is not run
	}
	return []hook{{file: name}}
}

// older compares versions of three numbers.
func older(have, than string) bool {
	a, b := numbers(have), numbers(than)
	return slices.Compare(a, b) < 0
}

func numbers(version string) []int {
	var list []int
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part) // the expression that found it takes digits only
		list = append(list, n)
	}
	return list
}
