package runner

import (
	"fmt"
	"maps"
	"slices"

	"gavel"
	"gavel/grant"
	"gavel/runner/proof"
)

// bound returns the binding's fields for what is about to run. Directory, programs and scripts are
// those that the plan holds, and text, words and variables those that run. The kinds of wrappers and
// what patterns of file names match are as the decision states them.
func (p *Plan) bound() (*grant.Bound, error) {
	do := p.Decision.Exec
	b := &grant.Bound{Tool: p.call.Tool.Name, Agent: gavel.Fold(p.call.Agent.ID), Session: gavel.Fold(p.call.Session.Key),
		Host: do.Host, Node: do.Node, Cwd: p.dir.Path, Shell: do.Pins.Shell, Command: do.Command, PathPrepend: do.PathPrepend}
	for _, name := range slices.Sorted(maps.Keys(do.Env)) {
		b.Env = append(b.Env, [2]string{name, do.Env[name]})
	}
	var err error
	if b.Params, err = grant.Params(b.Tool, p.call.Tool.Params); err != nil {
		return nil, err
	}
	if do.Pins.Parsed {
		b.Wrappers = do.Pins.Wrappers
	}
	for i := range max(len(do.Segments), len(do.Pins.Wrappers)) {
		if i < len(do.Segments) {
			b.Argv = append(b.Argv, do.Segments[i].Argv)
		}
		if err := p.bindFiles(b, i); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// bindFiles adds the files of a segment, in the order of a binding: wrappers, the program, scripts,
// and patterns of file names. Of a text that runs unparsed, only contents are bound.
func (p *Plan) bindFiles(b *grant.Bound, segment int) error {
	pins := p.Decision.Exec.Pins
	for _, pin := range pins.Files {
		if pin.Segment != segment {
			continue
		}
		pin.Segment = 0
		at := slices.IndexFunc(p.files, func(f *proof.File) bool { return f.Pin == pin })
		if at < 0 {
			return fmt.Errorf("%s is not held", pin.Path)
		}
		program := pin.Role == gavel.PinProgram || pin.Role == gavel.PinWrapper
		content := pin.SHA256
		switch {
		case program && pins.Parsed:
			b.Executables = append(b.Executables, grant.File{Path: pin.Named, Device: pin.Device, Inode: pin.Inode})
			var err error
			if content, err = p.files[at].Content(); err != nil {
				return err
			}
		case pin.Role == gavel.PinWrapper:
			continue
		}
		path := pin.Path
		if program {
			path = pin.Named
		}
		if content != "" || !program && pins.Parsed {
			b.Scripts = append(b.Scripts, grant.Script{Path: path, SHA256: content})
		}
	}
	for _, match := range pins.Matches {
		if match.Segment == segment {
			b.Scripts = append(b.Scripts, grant.Script{Path: match.Pattern, SHA256: match.SHA256})
		}
	}
	return nil
}
