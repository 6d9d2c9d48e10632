package host

import (
	"path"
	"strings"

	"gavel/analyzer/spelling"
)

// isClean reports whether a path is absolute and clean.
func isClean(p string) bool {
	if !path.IsAbs(p) {
		return false
	}
	plain := !strings.Contains(p, "/.") && !strings.Contains(p, "//") && !strings.HasSuffix(p, "/")
	return plain || path.Clean(p) == p
}

// filePath cleans an absolute path that can be a file. A path that ends in a slash or in dots is
// a directory.
func filePath(absolute string) (string, bool) {
	switch spelling.Base(absolute) {
	case "", ".", "..":
		return "", false
	default:
		return path.Clean(absolute), path.IsAbs(absolute)
	}
}

// Join returns the path of a name in a clean directory.
func Join(dir, name string) string {
	if dir == "/" {
		return dir + name
	}
	return dir + "/" + name
}

// In returns the absolute path of a name that is relative to a directory, not cleaned. An absolute
// name is returned unchanged. It returns "" for a relative name if the directory is "" (unknown).
func In(dir, name string) string {
	switch {
	case path.IsAbs(name):
		return name
	case dir == "":
		return ""
	default:
		return dir + "/" + name
	}
}

// Climbs reports whether a path contains "..".
func Climbs(text string) bool {
	return strings.Contains(text, "..") && strings.Contains("/"+text+"/", "/../")
}

// Overlaps reports whether two clean paths are equal or one of them is inside the other. If folds is
// true, case does not matter.
func Overlaps(full, dir string, folds bool) bool {
	if folds {
		full, dir = strings.ToLower(full), strings.ToLower(dir)
	}
	return Within(full, dir) || Within(dir, full)
}

// Within reports whether a clean path is a directory or is below it.
func Within(full, dir string) bool {
	below, inside := strings.CutPrefix(full, strings.TrimSuffix(dir, "/"))
	return dir != "" && (full == dir || inside && strings.HasPrefix(below, "/"))
}

// Absolute trims and cleans an absolute path. Any other text is "", which means unknown.
func Absolute(dir string) string {
	dir = strings.TrimSpace(dir)
	if !path.IsAbs(dir) {
		return ""
	}
	return path.Clean(dir)
}
