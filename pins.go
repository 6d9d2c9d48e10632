package gavel

import (
	"path"
	"strings"
)

// Pins are the files and the directory that a command was judged by. An enforcement point on the same
// machine can compare them when it runs the command, and notice a change.
type Pins struct {
	// Directory is where the command runs, by its real path.
	Directory string `json:"directory"`
	Shell     string `json:"shell"` // what runs the text, as in [ExecFacts]
	// Parsed is false for a text that runs unchanged, without being parsed. Files may then be
	// incomplete.
	Parsed bool  `json:"parsed"`
	Files  []Pin `json:"files"`
	// Wrappers are, for each segment, kind and words of each wrapper, as in a binding.
	Wrappers [][][]string `json:"wrappers,omitempty"`
	// Matches are the patterns of file names whose matches were all found.
	Matches []PinMatch `json:"matches,omitempty"`
}

// PinMatch is a pattern of file names with the files that match it.
type PinMatch struct {
	// Segment is the index of the segment that has it.
	Segment int `json:"segment"`
	// Pattern is absolute.
	Pattern string `json:"pattern"`
	// SHA256 is the hash of all names and of the real paths that they lead to, lower-case hex.
	SHA256 string `json:"sha256"`
	// Word is the pattern as the text has it, and Directory the one in which it is looked up. Both are
	// "" if a command gives the names.
	Word      string `json:"word,omitempty"`
	Directory string `json:"directory,omitempty"`
}

// Pin is one file that a command runs or reads as code.
type Pin struct {
	// Segment is the position of the segment that has it.
	Segment int `json:"segment"`
	// Role is program, wrapper, or a role of [Script].
	Role string `json:"role"`
	// Named is the absolute path that the command uses.
	Named string `json:"named"`
	// Path is the file itself, with every symbolic link resolved.
	Path   string `json:"path"`
	Device string `json:"device"` // decimal
	Inode  string `json:"inode"`
	// SHA256 is the hash of the content, lower-case hex; "" for a program that only root can
	// change.
	SHA256 string `json:"sha256,omitempty"`
}

// Roles of pins, beside those of [Script].
const (
	PinProgram = "program"
	PinWrapper = "wrapper"
)

// setPins adds the pins to a decision that lets a command run, if they were requested. What a
// gateway claims of another machine cannot be compared here, so there are none.
func (d *Decision) setPins(facts *Facts, wanted bool) {
	if !wanted || d.Effect != Allow || d.Exec == nil || facts.Exec == nil || facts.Environment.Claimed || facts.Tool.Name != "exec" {
		return
	}
	exec := facts.Exec
	pins := &Pins{Directory: exec.Directory, Shell: exec.Shell, Parsed: exec.Parsed && len(d.Exec.Segments) > 0, Files: []Pin{}}
	for i := range exec.Segments {
		segment := &exec.Segments[i]
		wrappers := [][]string{}
		for j := range segment.Wrappers {
			pins.add(i, PinWrapper, &segment.Wrappers[j].Executable)
			wrappers = append(wrappers, segment.Wrappers[j].Bound())
		}
		pins.Wrappers = append(pins.Wrappers, wrappers)
		if segment.Builtin == "" {
			pins.add(i, PinProgram, &segment.Executable)
		}
		for _, script := range segment.Scripts {
			if script.Found {
				pins.Files = append(pins.Files, Pin{i, script.Role, script.Path, script.Real, script.Device, script.Inode, script.SHA256})
			}
		}
		pins.addMatches(i, segment, facts.Environment.Home)
	}
	d.Exec.Pins = pins
}

func (p *Pins) add(segment int, role string, program *Executable) {
	if !program.Found {
		return // a builtin of the shell
	}
	file := program.Real
	if program.Link != "" {
		file = program.Link
	}
	p.Files = append(p.Files, Pin{segment, role, program.Real, file, program.Device, program.Inode, program.SHA256})
}

// addMatches adds the patterns of a segment whose matches were all found.
func (p *Pins) addMatches(index int, segment *Segment, home string) {
	for _, match := range segment.Fits {
		if !match.Known {
			continue
		}
		pin := PinMatch{Segment: index, Pattern: segment.absolute(match.Pattern), SHA256: match.SHA256}
		if !match.Command {
			pin.Word, pin.Directory = match.Pattern, segment.Cwd
			if rest, below := strings.CutPrefix(pin.Word, "~/"); below {
				pin.Word = home + "/" + rest
			}
		}
		p.Matches = append(p.Matches, pin)
	}
}

// Bound returns kind and words of a wrapper, as a binding has them: the program by its real path.
func (w *Wrapper) Bound() []string {
	words := append([]string{w.Kind}, w.Argv...)
	if w.Executable.Found && len(w.Argv) > 0 {
		words[1] = w.Executable.Real
	}
	return words
}

// Matches returns the patterns of file names whose matches were all found, made absolute, as a
// binding has them. Where the matches are unknown, the policy limits an answer to one execution.
func (s *Segment) Matches() []Fitting {
	var list []Fitting
	for _, match := range s.Fits {
		if !match.Known {
			continue
		}
		match.Pattern = s.absolute(match.Pattern)
		list = append(list, match)
	}
	return list
}

func (s *Segment) absolute(pattern string) string {
	if path.IsAbs(pattern) {
		return pattern
	}
	return path.Join(s.Cwd, pattern)
}
