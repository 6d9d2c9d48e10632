package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gavel"
	"gavel/client"
	"gavel/runner/proof"
	"gavel/runner/spawn"
)

// roleScript is the role of a code file that the command line names.
const roleScript = "script"

// Plan is a command that was decided, compared and is held. It runs at most once.
type Plan struct {
	Decision gavel.Decision
	// Notes say what could not be proved or limited, for the result.
	Notes []string

	runner *Runner
	call   *gavel.Call
	// onceOnly is true if a person agreed to this execution, and not permanently.
	onceOnly bool
	dir      *proof.Directory
	files    []*proof.File
	extra    []*os.File // descriptors of the command from 3
	self     *os.File   // this program, if it is one of them
	argv     []string
	env      []string
	path     string      // what is run, if held is nil
	held     *proof.File // is run by its descriptor
	script   *spawn.Script
}

// Argv returns the words that run, for people to read.
func (p *Plan) Argv() []string { return slices.Clone(p.argv) }

// Directory returns the real path of the directory in which the command runs.
func (p *Plan) Directory() string { return p.dir.Path }

// Close closes every open file of the plan. A command that has started keeps what it needs.
func (p *Plan) Close() {
	for _, file := range p.files {
		file.Close()
	}
	_ = p.dir.File.Close() // it was only read
	if p.self != nil {
		_ = p.self.Close()
	}
}

// hold opens everything that the decision names, compares it with what was judged, and keeps it open.
func (p *Plan) hold() error {
	do, cfg := p.Decision.Exec, &p.runner.cfg
	switch {
	case do == nil || do.Command == "":
		return &Refusal{Code: CodeUnproved, Message: "the decision does not say what to run"}
	case do.Host != cfg.Host || do.Node != cfg.Node:
		return &Refusal{Code: CodeHost, Message: fmt.Sprintf("the command may run on host %q, and this is %q", hostOf(do.Host, do.Node), hostOf(cfg.Host, cfg.Node)),
			Fix: "set tools.exec.host to this host, or start the runner with --host"}
	case do.Pins == nil:
		return &Refusal{Code: CodeUnproved, Message: "the decision does not say which files it is about",
			Fix: "use a credential of the scope gateway, and leave environment.executables out of the call"}
	}
	if err := p.dir.Same(do.Pins.Directory); err != nil {
		return err
	}
	if err := p.open(do.Pins); err != nil {
		return err
	}
	if err := proof.SameMatches(do.Pins.Matches); err != nil {
		return err
	}
	lines := linesOf(do)
	plan := p.shell
	if len(lines) == 1 && lines[0].whole(do.Command) {
		plan = p.program
	}
	if err := plan(do, lines); err != nil {
		return err
	}
	if err := p.grant(); err != nil {
		return err
	}
	env, left, err := p.runner.environ(do)
	if len(left) > 0 {
		p.note("blocked variables were left out: %s", strings.Join(left, ", "))
	}
	p.env = env
	return err
}

func hostOf(host, node string) string {
	if node == "" {
		return host
	}
	return host + " " + node
}

func (p *Plan) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(p.Notes, text) {
		p.Notes = append(p.Notes, text)
	}
}

// open opens every file of the pins, each once.
func (p *Plan) open(pins *gavel.Pins) error {
	for _, pin := range pins.Files {
		pin.Segment = 0
		if slices.ContainsFunc(p.files, func(f *proof.File) bool { return f.Pin == pin }) {
			continue
		}
		file, err := proof.Open(pin)
		if err != nil {
			return err
		}
		p.files = append(p.files, file)
	}
	if !pins.Parsed {
		p.note("the text runs as it was given; the decision does not say which programs it runs")
	}
	return nil
}

// program plans one program with fixed words, which needs no shell. It is run by its descriptor.
func (p *Plan) program(_ *gavel.Exec, lines []line) error {
	line := lines[0]
	program := p.file(line.words[0], gavel.PinProgram, gavel.PinWrapper)
	if program == nil {
		return &Refusal{Code: CodeUnproved, Message: "the decision does not say which file " + line.words[0] + " is"}
	}
	edits, err := p.edits(line)
	if err != nil {
		return err
	}
	if err := p.unnamed([]map[int]edit{edits}, lines); err != nil {
		return err
	}
	for at, word := range line.words {
		one, edited := edits[at]
		if edited && at > 0 && !p.keepsName(program.Pin.Path, line.words[:at], one.words) {
			p.argv = append(p.argv, one.words...)
		} else {
			p.argv = append(p.argv, word)
		}
	}
	switch {
	case program.Steady && os.Geteuid() != 0:
		p.path = program.Pin.Path // it cannot be replaced, and ps shows its name
	case program.Text:
		var sealed string
		if sealed, err = p.seal(program); err == nil {
			err = p.interpreted(program, sealed)
		}
	case program.Pin.SHA256 != "" && !proof.WritesAreRefused():
		p.path, err = p.seal(program)
	default:
		p.held = program
	}
	return err
}

// seal gives the command a sealed copy of a file, and returns the path by which it opens it.
func (p *Plan) seal(file *proof.File) (string, error) {
	sealed, err := file.Sealed()
	if err != nil {
		return "", err
	}
	return p.give(sealed), nil
}

// give gives the command a file, and returns the path by which it opens it.
func (p *Plan) give(file *os.File) string {
	at := slices.Index(p.extra, file)
	if at < 0 {
		at = len(p.extra)
		p.extra = append(p.extra, file)
	}
	return fmt.Sprintf("/proc/self/fd/%d", 3+at)
}

// file returns the open file that the command names so, in one of these roles; nil if there is none.
func (p *Plan) file(named string, roles ...string) *proof.File {
	at := slices.IndexFunc(p.files, func(f *proof.File) bool { return f.Pin.Named == named && slices.Contains(roles, f.Pin.Role) })
	if at < 0 {
		return nil
	}
	return p.files[at]
}

// unheld refuses a file that could be replaced between the comparison and its use, or adds a note if
// that risk was accepted.
func (p *Plan) unheld(file *proof.File) error {
	if p.runner.cfg.CheckOnly || !p.Decision.Exec.Pins.Parsed {
		p.note("%s was compared right before the start; it is opened by its path, and could be replaced in between", file.Pin.Path)
		return nil
	}
	fix := "install it where only root can write; or accept the risk with --check-only"
	if lines := linesOf(p.Decision.Exec); len(lines) != 1 || !lines[0].whole(p.Decision.Exec.Command) {
		fix = "run the program on its own, without a shell around it; or " + fix
	}
	return &Refusal{Code: CodeUnheld, Message: fmt.Sprintf("others than root can replace %s between the comparison and its use, because a shell or a program opens it by its path", file.Pin.Path), Fix: fix}
}

// shell plans a text for a shell. Programs and scripts that could be replaced are run from sealed
// copies, whose paths take their places in the text. The rest of the text stays as it was judged.
func (p *Plan) shell(do *gavel.Exec, lines []line) error {
	path, real, err := proof.Shell(do.Pins.Shell)
	if err != nil {
		return &Refusal{Code: CodeShell, Message: err.Error(), Fix: "state another shell in environment.shell"}
	}
	text, all := do.Command, make([]map[int]edit, len(lines))
	if keepsNames(do.Pins.Shell) {
		for i := range lines {
			if all[i], err = p.edits(lines[i]); err != nil {
				return err
			}
		}
		text = edited(do.Command, lines, all)
	}
	if text != do.Command {
		if err := keepsShape(do.Command, text); err != nil {
			return &Refusal{Code: CodeUnheld, Message: "programs that others than root can replace cannot be held in this text: " + err.Error(),
				Fix: "run them without it; or install them where only root can write; or accept the risk with --check-only"}
		}
	}
	if err := p.unnamed(all, lines); err != nil {
		return err
	}
	p.path = real
	p.argv = slices.Concat([]string{path}, client.NoStartup(filepath.Base(path)), []string{"-c", text})
	return nil
}

// Start starts the command with these descriptors as 0 to 2. A plan starts only once.
func (p *Plan) Start(ctx context.Context, stdio [3]*os.File, terminal, session bool) (*spawn.Process, error) {
	if p.argv == nil {
		return nil, errors.New("a plan runs only once")
	}
	if err := proof.SameMatches(p.Decision.Exec.Pins.Matches); err != nil {
		return nil, p.runner.refuse(ctx, p.call, asRefusal(err, &p.Decision))
	}
	event := gavel.RunEvent{Kind: gavel.AuditRunStarted, Agent: p.call.Agent.ID, Session: p.call.Session.Key, Decision: p.Decision.ID, Program: p.argv[0], Directory: p.dir.Path}
	if err := p.runner.record(ctx, event); err != nil {
		return nil, &Refusal{Code: CodeUnrecorded, Message: "the start could not be recorded, so nothing runs: " + err.Error()}
	}
	spec := spawn.Spec{Path: p.path, Argv: p.argv, Env: p.env, Dir: p.dir.File, Files: slices.Concat(stdio[:], p.extra),
		Terminal: terminal, Session: session, Limits: p.limits(), Script: p.script}
	if p.held != nil {
		spec.Program = p.held.Descriptor()
		if p.held.Pin.SHA256 != "" { // without a content to compare, the descriptor is enough
			spec.Loaded, spec.Unstopped = p.held.Loaded, p.held.Sealed
		}
	}
	p.argv = nil
	process, err := spawn.Start(spec)
	if err != nil {
		return nil, p.runner.refuse(ctx, p.call, asRefusal(err, &p.Decision))
	}
	p.Notes = append(p.Notes, process.Notes...)
	return process, nil
}

// workdir returns the absolute directory in which a call runs, before links are followed.
func workdir(call *gavel.Call, cwd string) (string, error) {
	if call.Environment != nil && call.Environment.Cwd != "" {
		cwd = call.Environment.Cwd
	}
	given, isText := call.Tool.Params["workdir"].(string)
	if given = strings.TrimSpace(given); isText && given != "" {
		if filepath.IsAbs(given) {
			return given, nil
		}
		cwd = filepath.Join(cwd, given)
	}
	if !filepath.IsAbs(cwd) {
		return "", fmt.Errorf("the directory %q is not absolute", cwd)
	}
	return cwd, nil
}
