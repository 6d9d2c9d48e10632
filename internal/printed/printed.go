// Package printed runs a short program for what it prints: without a shell, with a time limit that ends
// everything that it has started, and with a limit on what is kept.
package printed

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Program is what is run, in the directory /, with no standard input.
type Program struct {
	Path string
	Args []string
	Env  []string
	// Limit is its time.
	Limit time.Duration
	// Most is how many bytes it may print. More is an error.
	Most int
}

// mostProblems is how many bytes of standard error are in an error.
const mostProblems = 1 << 10

// Text returns what the program prints. Errors have the beginning of standard error, and nothing of
// standard output, also where standard error repeats it.
func (p Program) Text(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, p.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Path, p.Args...)
	cmd.Env, cmd.Dir = p.Env, "/"
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would be this process's
	}
	group(cmd)
	cmd.WaitDelay = time.Second
	var out, problems bounded
	out.limit, problems.limit = p.Most, mostProblems
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := start(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s timed out after %s", filepath.Base(p.Path), p.Limit)
	case err != nil:
		text := strings.ToValidUTF8(strings.TrimSpace(problems.kept.String()), "?")
		return "", fmt.Errorf("%s: %w: %s", filepath.Base(p.Path), err, withoutWordsOf(out.kept.String(), text))
	case out.over:
		return "", fmt.Errorf("%s printed more than %d bytes", filepath.Base(p.Path), p.Most)
	}
	return out.kept.String(), nil
}

// leastWord is the length from which a word of the output counts as one that could be a secret.
const leastWord = 6

// withoutWordsOf returns a text in which each longer word that is in an output is replaced: a script that
// reports what it does (set -x) repeats what it prints.
func withoutWordsOf(output, text string) string {
	words := strings.FieldsFunc(output, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'{}[],:", r) })
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) }) // one may be part of another
	for _, word := range words {
		if len(word) >= leastWord {
			text = strings.ReplaceAll(text, word, "[REDACTED]")
		}
	}
	return text
}

// bounded keeps the beginning of what is written to it. It has no method of a buffer but Write: what is
// copied to it must not go past the limit by another.
type bounded struct {
	kept  bytes.Buffer
	limit int
	over  bool
}

// Write implements io.Writer. It never fails.
func (b *bounded) Write(p []byte) (int, error) {
	if room := b.limit - b.kept.Len(); len(p) > room {
		b.over = true
		_, _ = b.kept.Write(p[:room])
		return len(p), nil
	}
	return b.kept.Write(p)
}
