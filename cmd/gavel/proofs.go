package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gavel"
	"gavel/hook"
	"gavel/internal/private"
)

// proofs is a file that lists the policies whose tests have passed, so that a hook without a server,
// which is a new process each time, need not run them again. A line is the digest of a policy's
// revision and of this program. A directory beside the file has the compiled policies. It implements
// bundles.LoadCache. A file that cannot be read, or that others may write, proves nothing.
type proofs struct {
	file    string
	program string // what identifies this program; "" proves nothing
}

// maxProofs limits how many policies are remembered; the oldest are dropped.
const maxProofs = 64

// proofsFor returns the proofs in the state directory. One that is in the project of the calls
// proves nothing, because those who write the project could forge a proof.
func (a *app) proofsFor(location hook.Location, calls []gavel.Call) *proofs {
	state := location.State
	if state == "" {
		if state = hook.StateDirectory(a.getenv); state == "" || hook.CheckOrigin(state, calls) != nil {
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

// Passed implements bundles.LoadCache.
func (p *proofs) Passed(revision string) bool {
	return p.program != "" && slices.Contains(p.lines(), p.line(revision))
}

// RecordPass implements bundles.LoadCache. Of two processes at once, one may forget what the other
// keeps, which then loads the policy once more.
func (p *proofs) RecordPass(revision string) {
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

// maxProgramBytes and maxKept limit what is kept of compiled programs; the oldest are removed.
const (
	maxProgramBytes = 64 << 20
	maxKept         = 8
)

// Compiled implements bundles.LoadCache. The file begins with a digest of the rest and of its name,
// so that one that was cut off, or renamed, is not used.
func (p *proofs) Compiled(identity string) []byte {
	file := p.programFile(identity)
	if p.program == "" || private.CheckPlace(filepath.Dir(file)) != nil {
		return nil
	}
	text, err := private.ReadFile(file, maxProgramBytes)
	if err != nil || len(text) < sha256.Size {
		return nil
	}
	digest, saved := text[:sha256.Size], text[sha256.Size:]
	if [sha256.Size]byte(digest) != programDigest(file, saved) {
		return nil
	}
	return saved
}

// SaveCompiled implements bundles.LoadCache.
func (p *proofs) SaveCompiled(identity string, saved []byte) {
	file := p.programFile(identity)
	dir := filepath.Dir(file)
	if p.program == "" || len(saved) > maxProgramBytes-sha256.Size || os.MkdirAll(dir, 0o700) != nil || private.CheckPlace(dir) != nil {
		return
	}
	digest := programDigest(file, saved)
	if private.ReplaceFile(file, append(digest[:], saved...), 0o600) != nil {
		return // without it, the next load takes longer
	}
	removeOldest(dir, maxKept)
}

// programFile is where a program is kept: its name is a digest of the policy's Rego and data and
// of this program.
func (p *proofs) programFile(identity string) string {
	return filepath.Join(filepath.Dir(p.file), "programs", p.line(identity))
}

func programDigest(file string, saved []byte) (digest [sha256.Size]byte) {
	hash := sha256.New()
	_, _ = io.WriteString(hash, filepath.Base(file)+"\n") // a hash takes everything
	_, _ = hash.Write(saved)
	hash.Sum(digest[:0])
	return digest
}

// removeOldest removes all but some files of a directory, the oldest first.
func removeOldest(dir string, keep int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	age := func(e os.DirEntry) time.Time {
		info, err := e.Info()
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return age(b).Compare(age(a)) })
	for _, old := range entries[min(keep, len(entries)):] {
		_ = os.Remove(filepath.Join(dir, old.Name())) // another process may have removed it
	}
}

func (p *proofs) line(revision string) string {
	hash := sha256.New()
	_, _ = io.WriteString(hash, revision+"\n"+p.program) // a hash takes everything
	return hex.EncodeToString(hash.Sum(nil))
}
