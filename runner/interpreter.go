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

// interpreter is the program that the first line of a script names.
type interpreter struct {
	named string   // its path as it is written
	real  string   // the same with links resolved
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
			return interpreter{named: at, words: words[1:]}, nil
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
	held := p.scriptOf(script, p.argv[0], sealed)
	words, ok := held.readBy(i.real, i.words)
	if !ok {
		return unread(script, i.named)
	}
	before := slices.Concat([]string{i.named}, i.words)
	if p.keepsName(i.real, before, words) {
		words = p.argv[:1]
	}
	p.argv = slices.Concat(before, words, p.argv[1:])
	p.path, p.held = i.real, file
	if file != nil {
		p.path = ""
	}
	return nil
}

// keepsName reports whether a shell can be handed the copy of its script while it opens the script by
// the name that argv has. before are the words before the script, and sealed what stands for it.
func (p *Plan) keepsName(shell string, before, sealed []string) bool {
	if len(sealed) != 1 || !keepsItsScript(shell, before[1:]) {
		return false
	}
	p.script = &spawn.Script{At: len(before), Copy: sealed[0], Dir: p.dir.Path}
	return true
}

// keepsItsScript reports whether a shell, with these options, is known to open its script once and to
// move the descriptor to another number before it reads from it.
func keepsItsScript(shell string, options []string) bool {
	return slices.Contains([]string{"bash", "dash"}, filepath.Base(shell)) && isEach(options, `-[efuvx]+`)
}

// interpreter returns the program that runs a script, and its open file, which is nil if only root can
// replace it.
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
	if i.real, err = filepath.EvalSymlinks(i.named); err != nil {
		return i, nil, &Refusal{Code: CodeUnheld, Message: fmt.Sprintf("what runs the script %s is unknown: %v", script.Pin.Path, err)}
	}
	if proof.SteadyPath(i.named) || proof.SteadyPath(i.real) {
		return i, nil, nil // only the link to it could be replaced, and it is not followed again
	}
	at := slices.IndexFunc(p.files, func(f *proof.File) bool { return f.Pin.Path == i.real })
	if at >= 0 && !p.files[at].Text {
		return i, p.files[at], nil
	}
	return i, nil, &Refusal{Code: CodeUnheld, Message: fmt.Sprintf("others than root can replace %s, which runs the script %s", i.named, script.Pin.Path),
		Fix: "install it where only root can write"}
}
