package approvals

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/grant"
)

// execTool is the tool whose calls are bound by what they would run.
const execTool = "exec"

// maxScript is the largest script that is hashed.
const maxScript = 16 << 20

// Bind returns what an answer to a question covers. If that is unclear it returns an error;
// then there is no binding, and no answer can permit the call (R29).
func (m *Manager) Bind(q gavel.Question) (*grant.Bound, error) {
	facts := q.Facts
	b := &grant.Bound{Tool: facts.Tool.Name, Agent: facts.Agent.ID, Session: facts.Session.Key}
	switch {
	case b.Tool == "":
		return nil, errors.New("the tool has no name")
	case b.Agent == "":
		return nil, errors.New("the agent has no id")
	}
	if b.Tool == execTool || facts.Exec != nil {
		if err := m.bindExec(b, facts, q.Decision.Exec); err != nil {
			return nil, err
		}
	}
	if facts.Process.Action != "" {
		// What reads the input is part of what the answer covers.
		b.Host, b.Node, b.Shell = facts.Process.Host, facts.Process.Node, facts.Process.Program
	}
	var err error
	b.Params, err = grant.Params(b.Tool, facts.Tool.Params)
	return b, err
}

func (m *Manager) bindExec(b *grant.Bound, facts *gavel.Facts, plan *gavel.Exec) error {
	switch {
	case facts.Exec == nil || plan == nil || plan.Command == "":
		return errors.New("there is no verified text to execute")
	case !path.IsAbs(facts.Exec.Workdir):
		return errors.New("the working directory is unknown")
	case plan.Host == "":
		return errors.New("the host is unknown")
	case plan.Host == "node" && plan.Node == "":
		return errors.New("the node is not specified")
	}
	b.PathPrepend = facts.Environment.PathPrepend
	b.Host, b.Node, b.Cwd, b.Shell, b.Command = plan.Host, plan.Node, facts.Exec.Workdir, facts.Exec.Shell, plan.Command
	var err error
	if b.Env, err = grant.Variables(facts.Tool.Params["env"]); err != nil {
		return err
	}
	if len(plan.Segments) == 0 { // full mode runs the text unchanged, and the text is bound
		for i := range facts.Exec.Segments {
			b.Scripts = append(b.Scripts, contents(&facts.Exec.Segments[i])...)
			bindMatches(b, &facts.Exec.Segments[i])
		}
		return nil
	}
	for i := range facts.Exec.Segments {
		if err := m.bindSegment(b, &facts.Exec.Segments[i], facts.Environment.Claimed); err != nil {
			return err
		}
	}
	return nil
}

func (m *Manager) bindSegment(b *grant.Bound, segment *gavel.Segment, claimed bool) error {
	wrappers := [][]string{}
	for i := range segment.Wrappers {
		wrapper := &segment.Wrappers[i]
		wrappers = append(wrappers, wrapper.Bound())
		if wrapper.Kind == "builtin" && !wrapper.Executable.Found { // the shell itself, which is bound
			continue
		}
		if _, err := m.bindProgram(b, wrapper.Executable, wrapper.Argv, claimed); err != nil {
			return err
		}
	}
	words, err := slices.Clone(segment.Argv), error(nil)
	if segment.Builtin == "" { // else the shell does it, which is bound
		words, err = m.bindProgram(b, segment.Executable, segment.Argv, claimed)
	}
	if err != nil {
		return err
	}
	if err := bindScripts(b, segment.Scripts); err != nil {
		return err
	}
	bindMatches(b, segment)
	b.Argv, b.Wrappers = append(b.Argv, words), append(b.Wrappers, wrappers)
	return nil
}

// bindMatches binds the files that globs match. Each glob is bound like a file whose content is the
// list of matching names.
func bindMatches(b *grant.Bound, segment *gavel.Segment) {
	for _, match := range segment.Matches() {
		b.Scripts = append(b.Scripts, grant.Script{Path: match.Pattern, SHA256: match.SHA256})
	}
}

// bindProgram binds a program's file. Files on this machine are looked up; for another
// machine, the gateway claims paths only.
func (m *Manager) bindProgram(b *grant.Bound, program gavel.Executable, argv []string, claimed bool) ([]string, error) {
	if !program.Found || program.Real == "" || len(argv) == 0 {
		return nil, fmt.Errorf("program %q was not found", strings.Join(argv[:min(1, len(argv))], ""))
	}
	file := grant.File{Path: program.Real}
	if !claimed {
		if err := m.identify(b, &file, program); err != nil {
			return nil, err
		}
	}
	b.Executables = append(b.Executables, file)
	words := slices.Clone(argv)
	words[0] = program.Real
	return words, nil
}

// identify adds the device and inode of a program to file. It fails if the file was replaced
// since the analysis. A script, or a program that is not part of the system, is also bound by
// its content, because it can be rewritten in place.
func (m *Manager) identify(b *grant.Bound, file *grant.File, program gavel.Executable) error {
	var ok bool
	if file.Device, file.Inode, ok = m.cfg.Identify(program.Real); !ok {
		return fmt.Errorf("the file %q has no unique identity on this system", program.Real)
	}
	if program.Inode != "" && (program.Inode != file.Inode || program.Device != file.Device) {
		return fmt.Errorf("the file %q was replaced in the meantime", program.Real)
	}
	content, err := m.cfg.Script(program.Real)
	if err != nil {
		return fmt.Errorf("the script %q cannot be read: %w", program.Real, err)
	}
	if content == "" {
		content = program.SHA256
	}
	if content != "" {
		b.Scripts = append(b.Scripts, grant.Script{Path: program.Real, SHA256: content})
	}
	return nil
}

// bindScripts binds the code files that a program was told to run, by content. A file that
// was not read has unknown content.
func bindScripts(b *grant.Bound, scripts []gavel.Script) error {
	for _, script := range scripts {
		if !script.Found || script.SHA256 == "" || script.Real == "" {
			return fmt.Errorf("the contents of the script %q are unknown", script.Path)
		}
		b.Scripts = append(b.Scripts, grant.Script{Path: script.Real, SHA256: script.SHA256})
	}
	return nil
}

// contents returns the code files of a segment that could be read, including the program if
// it was read.
func contents(segment *gavel.Segment) []grant.Script {
	var list []grant.Script
	if program := &segment.Executable; program.SHA256 != "" {
		list = append(list, grant.Script{Path: program.Real, SHA256: program.SHA256})
	}
	for _, script := range segment.Scripts {
		if script.SHA256 != "" {
			list = append(list, grant.Script{Path: script.Real, SHA256: script.SHA256})
		}
	}
	return list
}

// scriptOf hashes a program that is a script.
func scriptOf(path string) (string, error) {
	file, err := open(path)
	if errors.Is(err, fs.ErrPermission) {
		return "", nil // a file that this user cannot read, it cannot rewrite either
	}
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // it was only read
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, errors.New("it is no longer a regular file"))
	}
	begin := make([]byte, 2)
	if n, err := io.ReadFull(file, begin); err != nil || string(begin[:n]) != "#!" {
		return "", nil
	}
	sum := sha256.New()
	sum.Write(begin)
	n, err := io.Copy(sum, io.LimitReader(file, maxScript+1))
	if err == nil && n > maxScript {
		err = fmt.Errorf("it is larger than %d bytes", maxScript)
	}
	return hex.EncodeToString(sum.Sum(nil)), err
}

// BindCall returns the binding of a call that is about to run on a host, for callers that have
// facts but no decision. Its command is the one that a decision would contain.
func (m *Manager) BindCall(facts *gavel.Facts, host, node string) (*grant.Bound, error) {
	return BindCall(facts, host, node, m.cfg.Identify)
}

// BindCall does the same as [Manager.BindCall] without a manager. A nil identifier asks the
// operating system.
func BindCall(facts *gavel.Facts, host, node string, identifier func(string) (device, inode string, ok bool)) (*grant.Bound, error) {
	if identifier == nil {
		identifier = identify
	}
	m := &Manager{cfg: Config{Identify: identifier, Script: scriptOf}}
	plan := &gavel.Exec{Host: host, Node: node}
	if exec := facts.Exec; exec != nil {
		plan.Command = exec.Command
		if exec.Parsed && exec.Rendered != "" {
			plan.Command, plan.Segments = exec.Rendered, make([]gavel.ExecSegment, len(exec.Segments))
		}
	}
	return m.Bind(gavel.Question{Facts: facts, Decision: &gavel.Decision{Exec: plan}})
}
