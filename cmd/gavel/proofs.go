package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gavel"
	"gavel/hook"
	"gavel/internal/private"
)

// proofs remember in a file which policies hooks without a server have loaded; each such hook
// is a process of its own. A line is the digest of a policy's revision and of this program.
// It implements bundles.Proofs. A file that cannot be read, or that others may write, proves
// nothing.
type proofs struct {
	file    string
	program string // what identifies this program; "" proves nothing
}

// maxProofs limits how many policies are remembered; the oldest are dropped.
const maxProofs = 64

// proofsFor returns the proofs in the state directory. One that is in the project of the calls
// proves nothing, because whoever writes the project could forge a proof.
func (a *app) proofsFor(place hook.Place, calls []gavel.Call) *proofs {
	state := place.State
	if state == "" {
		if state = hook.StateDirectory(a.getenv); state == "" || hook.Foreign(state, calls) != nil {
			return &proofs{}
		}
	}
	return &proofs{file: filepath.Join(state, "proofs"), program: programPrint()}
}

// programPrint identifies this program: what the toolchain recorded, and the file.
func programPrint() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	print := private.PrintOfTarget(path)
	if !print.There() || !print.Settled() {
		return ""
	}
	return thisBuild().String() + " " + print.String()
}

// Holds implements bundles.Proofs.
func (p *proofs) Holds(revision string) bool {
	return p.program != "" && slices.Contains(p.lines(), p.line(revision))
}

// Keep implements bundles.Proofs. Of two processes at once, one may forget what the other
// keeps, which then loads the policy once more.
func (p *proofs) Keep(revision string) {
	if p.program == "" || os.MkdirAll(filepath.Dir(p.file), 0o700) != nil || private.CheckPlace(filepath.Dir(p.file)) != nil {
		return
	}
	lines := append(p.lines(), p.line(revision))
	lines = lines[max(0, len(lines)-maxProofs):]
	_ = private.ReplaceFile(p.file, []byte(strings.Join(lines, "\n")+"\n"), 0o600) // without it, the next load takes longer
}

func (p *proofs) lines() []string {
	if private.CheckPlace(filepath.Dir(p.file)) != nil {
		return nil
	}
	text, err := private.ReadFile(p.file, maxProofs*(2*sha256.Size+1))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}

func (p *proofs) line(revision string) string {
	hash := sha256.New()
	_, _ = io.WriteString(hash, revision+"\n"+p.program) // a hash takes everything
	return hex.EncodeToString(hash.Sum(nil))
}
