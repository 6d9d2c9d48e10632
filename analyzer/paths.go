package analyzer

import (
	"path"
	"strings"
)

// cleaned reports whether a path is absolute and clean.
func cleaned(p string) bool {
	if !path.IsAbs(p) {
		return false
	}
	plain := !strings.Contains(p, "/.") && !strings.Contains(p, "//") && !strings.HasSuffix(p, "/")
	return plain || path.Clean(p) == p
}

// filePath cleans an absolute path that can be a file's: one that ends in a
// slash or in dots is a directory's.
func filePath(absolute string) (string, bool) {
	switch baseName(absolute) {
	case "", ".", "..":
		return "", false
	default:
		return path.Clean(absolute), path.IsAbs(absolute)
	}
}

func join(dir, name string) string {
	if dir == "/" {
		return dir + name
	}
	return dir + "/" + name
}

func climbs(text string) bool {
	return strings.Contains(text, "..") && strings.Contains("/"+text+"/", "/../")
}

// encloses reports whether one of two clean paths is the other, or lies in it.
func encloses(full, dir string, folds bool) bool {
	if folds {
		full, dir = strings.ToLower(full), strings.ToLower(dir)
	}
	return within(full, dir) || within(dir, full)
}

// within reports whether a clean path is a directory or below it.
func within(full, dir string) bool {
	below, inside := strings.CutPrefix(full, strings.TrimSuffix(dir, "/"))
	return dir != "" && (full == dir || inside && strings.HasPrefix(below, "/"))
}

// absolute trims and cleans an absolute path; every other text is "", unknown.
func absolute(dir string) string {
	dir = strings.TrimSpace(dir)
	if !path.IsAbs(dir) {
		return ""
	}
	return path.Clean(dir)
}
