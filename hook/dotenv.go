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

// maxSettings limits how much of such a file is read.
const maxSettings = 1 << 20

// settingsFiles are files of a project from which hosts set variables, for their hooks too: Gemini
// CLI does (docs/hosts/measured.md), and the names are those that programs of this kind read.
func settingsFiles() []string {
	return []string{".env", ".env.local", ".env.development", ".env.development.local", ".env.production", ".env.production.local",
		".env.test", ".env.test.local", ".gemini/.env", ".qwen/.env"}
}

// sets finds a variable that says where Gavel is, in whatever a reader may take for a line, and
// in comments.
const sets = `(?:^|[^A-Za-z0-9_])(GAVEL_[A-Z_]+|XDG_STATE_HOME|XDG_CONFIG_HOME)\s*[=:]`

// setsHome finds HOME in the same way, and as a member of JSON.
const setsHome = `(?:^|[^A-Za-z0-9_])(HOME)["']?\s*[=:]`

// noSetting returns an error if a file of a directory, or of one above it, sets a variable that
// says where Gavel is. A file that cannot be read counts as one that does. The home of the user
// is not the project's.
func noSetting(project string) error {
	file, name, err := setting(project, settingsFiles(), regexp.MustCompile(sets))
	if err != nil {
		return fmt.Errorf("%s may set variables that say where Gavel is, and cannot be read: %w", file, err)
	}
	if file != "" {
		return fmt.Errorf("%s sets %s, and hosts read that file: whoever writes the project would decide; "+
			"remove it there, and name the socket or the policy on the command line", file, name)
	}
	return nil
}

// movesHome reports whether a file of a directory, or of one above it, may set HOME for hooks.
func movesHome(project string) bool {
	files := append(settingsFiles(), ".claude/settings.json", ".claude/settings.local.json", ".gemini/settings.json", ".qwen/settings.json")
	file, _, _ := setting(project, files, regexp.MustCompile(setsHome))
	return file != ""
}

// setting returns the first file of a directory, or of one above it, in which a variable is set,
// and the variable. With an error, the file cannot be read.
func setting(project string, files []string, find *regexp.Regexp) (file, name string, err error) {
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

func firstBytes(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil || info.IsDir() { // some keep an environment of Python there
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
