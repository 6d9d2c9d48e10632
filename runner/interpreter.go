package runner

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gavel/runner/proof"
	"gavel/runner/spawn"
)

// maxFirstLine is the longest first line of a script that kernels read.
const maxFirstLine = 255

// interpreter is what the first line of a script names.
type interpreter struct {
	named string   // its path, before links are followed
	words []string // between it and the script
}

// interpreterOf reads the first line of a sealed script. A name behind env is looked up in path.
func interpreterOf(sealed *os.File, path []string) (interpreter, error) {
	line, err := bufio.NewReader(io.NewSectionReader(sealed, 0, maxFirstLine)).ReadString('\n')
	if err != nil && err != io.EOF { //nolint:errorlint // documented
		return interpreter{}, err
	}
	name, rest, _ := strings.Cut(strings.Trim(strings.TrimPrefix(line, "#!"), " \t\n"), " ")
	rest = strings.Trim(rest, " \t")
	i := interpreter{named: name}
	if rest != "" {
		i.words = []string{rest} // the kernel passes on one word
	}
	if filepath.Base(name) != "env" || rest == "" {
		return i, nil
	}
	words := strings.Fields(rest)
	if words[0] == "-S" {
		words = words[1:]
	} else {
		words = []string{rest}
	}
	if len(words) == 0 || strings.ContainsAny(strings.Join(words, " "), "\"'\\$=\t") || words[0][0] == '-' || strings.Contains(words[0], " ") {
		return interpreter{}, fmt.Errorf("the first line %q is not understood", strings.TrimSpace(line))
	}
	for _, dir := range path {
		at := filepath.Join(dir, words[0])
		if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return interpreter{at, words[1:]}, nil
		}
	}
	return interpreter{}, fmt.Errorf("%s is not found", words[0])
}

// interpreted runs a sealed script by its interpreter. An interpreter that others than root can
// replace is run by its descriptor, and must have a pin.
func (p *Plan) interpreted(script *proof.File, sealed string) error {
	i, file, err := p.interpreter(script)
	if err != nil && p.runner.cfg.CheckOnly {
		p.note("the interpreter of %s is opened by its path, and could be replaced: %v", script.Pin.Path, err)
		p.path = sealed
		return nil
	}
	if err != nil {
		return err
	}
	name := p.argv[0]
	p.argv = slices.Concat([]string{i.named}, i.words, []string{name}, p.argv[1:])
	at := 1 + len(i.words)
	if real, wrong := filepath.EvalSymlinks(i.named); wrong != nil || !p.keepsName(real, at, sealed) {
		p.argv[at] = sealed
	}
	if file != nil {
		p.path, p.held = "", file
		return nil
	}
	p.path, err = filepath.EvalSymlinks(i.named)
	return err
}

// keepsName reports whether a shell can be handed the copy of its script while it opens the script by
// the name that argv has. The shells that can are those that were looked at: they open their script
// once, and move its descriptor away before they read it. Their options are some that change nothing
// about that.
func (p *Plan) keepsName(shell string, at int, sealed string) bool {
	options := func(word string) bool {
		return len(word) > 1 && word[0] == '-' && strings.Trim(word[1:], "efuvx") == ""
	}
	if !slices.Contains([]string{"bash", "dash"}, filepath.Base(shell)) || slices.ContainsFunc(p.argv[1:at], func(word string) bool { return !options(word) }) {
		return false
	}
	p.script = &spawn.Script{At: at, Copy: sealed, Dir: p.dir.Path}
	return true
}

// interpreter finds what runs a script. The file is nil if only root can replace it.
func (p *Plan) interpreter(script *proof.File) (interpreter, *proof.File, error) {
	sealed, err := script.Sealed()
	if err != nil {
		return interpreter{}, nil, err
	}
	path := p.runner.cfg.Base.Path
	if path == nil {
		path = SystemPath()
	}
	i, err := interpreterOf(sealed, slices.Concat(p.Decision.Exec.PathPrepend, path))
	if err != nil {
		return i, nil, &Refusal{Code: CodeUnheld, Message: fmt.Sprintf("what runs the script %s is unknown: %v", script.Pin.Path, err)}
	}
	if proof.SteadyPath(i.named) {
		return i, nil, nil
	}
	real, err := filepath.EvalSymlinks(i.named)
	if err != nil {
		return i, nil, &Refusal{Code: CodeUnheld, Message: fmt.Sprintf("what runs the script %s is unknown: %v", script.Pin.Path, err)}
	}
	at := slices.IndexFunc(p.files, func(f *proof.File) bool { return f.Pin.Path == real })
	if at >= 0 && !p.files[at].Text {
		return i, p.files[at], nil
	}
	if proof.SteadyPath(real) {
		return i, nil, nil // only the link to it could be replaced, and it is not followed again
	}
	return i, nil, &Refusal{Code: CodeUnheld, Message: fmt.Sprintf("others than root can replace %s, which runs the script %s", i.named, script.Pin.Path),
		Fix: "install it where only root can write"}
}
