package hook

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
)

// maxSettings limits the size of a settings file, in bytes.
const maxSettings = 1 << 20

// settingsFiles lists files of a project from which hosts may set variables, also for their hooks. Gemini
// CLI does (docs/hosts/measured.md); the names are those that such programs commonly read.
func settingsFiles() []string {
	return []string{".env", ".env.local", ".env.development", ".env.development.local", ".env.production", ".env.production.local",
		".env.test", ".env.test.local", ".gemini/.env", ".qwen/.env"}
}

// setsLocation matches an assignment to a variable that says where Gavel is, anywhere in a line and even
// in a comment, because programs read such files in different ways.
const setsLocation = `(?:^|[^A-Za-z0-9_])(GAVEL_[A-Z_]+|XDG_STATE_HOME|XDG_CONFIG_HOME)\s*[=:]`

// setsHome matches an assignment to HOME in the same way, also as a member of a JSON object.
const setsHome = `(?:^|[^A-Za-z0-9_])(HOME)["']?\s*[=:]`

// checkSettings returns an error if a settings file in a directory, or in one above it, sets a variable
// that says where Gavel is, or cannot be read. Files in the user's home directory do not belong to the
// project.
func checkSettings(project string) error {
	file, name, err := findSetting(project, settingsFiles(), regexp.MustCompile(setsLocation))
	if err != nil {
		return fmt.Errorf("%s may set variables that say where Gavel is, and cannot be read: %w", file, err)
	}
	if file != "" {
		return fmt.Errorf("%s sets %s, and hosts read that file: whoever writes the project would decide; "+
			"remove it there, and name the socket or the policy on the command line", file, name)
	}
	return nil
}

// movesHome reports whether a settings file in a directory, or in one above it, may set HOME for hooks.
func movesHome(project string) bool {
	files := append(settingsFiles(), ".claude/settings.json", ".claude/settings.local.json", ".gemini/settings.json", ".qwen/settings.json")
	file, _, _ := findSetting(project, files, regexp.MustCompile(setsHome))
	return file != ""
}

// findSetting returns the first of the files, in a directory or one above it, in which find matches, and
// the variable. If a file cannot be read, it returns the file and an error.
func findSetting(project string, files []string, find *regexp.Regexp) (file, name string, err error) {
	own := home()
	for dir := project; ; {
		for _, base := range files {
			if dir == own && dir != project {
				break
			}
			file = filepath.Join(dir, base)
			text, err := firstBytes(file)
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
				continue
			}
			if err != nil {
				return file, "", err
			}
			if found := find.FindSubmatch(text); found != nil {
				return file, string(found[1]), nil
			}
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", "", nil
		}
		dir = above
	}
}

// firstBytes reads a settings file. A directory has no content.
func firstBytes(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil || info.IsDir() { // such as a virtual environment of Python
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSettings {
		return nil, fmt.Errorf("it is not a file of at most %d bytes", maxSettings)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return io.ReadAll(io.LimitReader(f, maxSettings))
}
