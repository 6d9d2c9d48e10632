package host

import (
	"bytes"
	"io"
	"os"
	"path"
	"strings"
	"syscall"

	"gavel/analyzer/spelling"
)

// Limits on the lookups for code.
const (
	maxProgram  = 128 << 20 // bytes of a program
	maxPrograms = 256 << 20 // bytes of all programs of one analysis
	maxListed   = 512       // names in a directory
)

// Program implements [Host]. An unchanged program is not hashed again.
func (v *view) Program(real string) (sha256, interpreter string) {
	s, err := v.lstat(real)
	if err != nil || !s.mode.IsRegular() {
		return "", ""
	}
	if v.programBytes += s.size; v.programBytes > maxPrograms {
		return "", ""
	}
	sum, readable := v.hash(real, s, maxProgram)
	if !readable || sum == "" {
		return "", ""
	}
	return sum, interpreterOf(real)
}

// List implements [Host].
func (v *view) List(dir string) ([]string, bool) {
	real, s, err := v.walk(path.Clean(dir))
	if err != nil || !s.mode.IsDir() {
		return nil, false
	}
	file, err := os.Open(real)
	if err != nil {
		return nil, false
	}
	defer file.Close() //nolint:errcheck // it was only read
	entries, err := file.ReadDir(maxListed + 1)
	if err != nil && err != io.EOF || len(entries) > maxListed {
		return nil, false
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return spelling.Tidy(names), true
}

// interpreterOf returns the interpreter of a program that is a text file: the one in its first
// line, or else the shell, which runs files that the kernel refuses. A binary program has none.
func interpreterOf(real string) string {
	file, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer file.Close() //nolint:errcheck // it was only read
	begin := make([]byte, 256)
	n, err := io.ReadFull(file, begin)
	if err != nil && err != io.ErrUnexpectedEOF {
		return ""
	}
	line, _, _ := bytes.Cut(begin[:n], []byte("\n"))
	switch {
	case bytes.HasPrefix(line, []byte("#!")):
		return strings.TrimSpace(string(line[2:]))
	case bytes.IndexByte(begin[:n], 0) >= 0:
		return ""
	}
	return "sh"
}
