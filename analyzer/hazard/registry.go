package hazard

import "strings"

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// inRegistry reports whether a text names a package of a registry for npm, with a version, a range
// or a tag, or without one. Anything else may be a file, a directory or a repository.
func inRegistry(text string) bool {
	if scope, rest, scoped := strings.Cut(text, "/"); scoped {
		if text = rest; !strings.HasPrefix(scope, "@") || !packageName(scope[1:]) {
			return false
		}
	}
	name, version, versioned := strings.Cut(text, "@")
	return packageName(name) && !archived(name) && !archived(version) && !(versioned && version == "") && strings.Trim(version, alphanumeric+".-+^~<>=*| ") == ""
}

// packageName reports whether a text is a name of a package, or of a scope.
func packageName(text string) bool {
	return text != "" && strings.Trim(text, alphanumeric+"._-") == "" && strings.IndexByte("._-", text[0]) < 0
}

// archived reports whether npm takes a name without a slash for a file.
func archived(text string) bool {
	for _, ending := range []string{".tgz", ".tar.gz", ".tar"} {
		if strings.HasSuffix(strings.ToLower(text), ending) {
			return true
		}
	}
	return false
}
