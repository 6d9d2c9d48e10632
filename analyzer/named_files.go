package analyzer

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/host"
)

// maxNamedFiles limits the files that the parameters of one call may name.
const maxNamedFiles = 1024

// namedFiles returns the files that the parameters of a tool name, if it is not one whose parameters are
// read otherwise. A text names a file if it begins as an absolute path, a path of the home directory or a
// file URL does, or if its parameter is named after files. It records an exceeded limit if there are too
// many.
func (e *environment) namedFiles(tables *Tools, tool *gavel.ToolFacts, params map[string]any) []gavel.NamedFile {
	list := []gavel.NamedFile{}
	if _, isFileTool := e.fileTools[tool.Name]; isFileTool || slices.Contains([]string{tables.Exec, tables.Process.Tool, tables.Credential}, tool.Name) {
		return list
	}
	access := "write"
	if slices.Contains(tables.Reading, tool.Name) {
		access = accessRead
	}
	left := maxTexts
	e.eachText("", params, maxDepth, &left, func(name, text string) {
		named, absolute := fileNamed(text, tables.isFileName(name))
		switch {
		case named == "":
		case len(list) == maxNamedFiles:
			e.Host.ExceedLookups()
		default:
			list = append(list, e.namedFile(gavel.NamedFile{Access: access, Given: named, Absolute: absolute}))
		}
	})
	return list
}

// isFileName reports whether a parameter of this name may hold the name of a file.
func (t *Tools) isFileName(parameter string) bool {
	name := strings.ReplaceAll(foldParameter(parameter), "profile", "")
	return slices.ContainsFunc(t.FileNames, func(part string) bool { return strings.Contains(name, part) })
}

// fileNamed returns the file that a text names, and whether it certainly is an absolute name of a file; ""
// if it names none. isName is true if the text is expected to be a file name: "/status" may be a command.
func fileNamed(text string, isName bool) (file string, absolute bool) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "@")
	if rest, ok := cutFold(text, "file:"); ok {
		rest = strings.TrimPrefix(rest, "//")
		if host, below, found := strings.Cut(rest, "/"); found && (strings.EqualFold(host, "localhost") || host == "127.0.0.1") {
			rest = "/" + below
		}
		if plain, err := url.PathUnescape(rest); err == nil {
			rest = plain
		}
		text, isName = rest, true
	}
	absolute = strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~/")
	begins := absolute || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../")
	switch {
	case text == "" || strings.ContainsAny(text, "\n\r") || strings.Contains(text, "://"):
		return "", false
	case isName, begins && !strings.ContainsAny(text, " \t"):
		return text, absolute && isName
	default:
		return "", false
	}
}

// cutFold returns the text after a prefix in any case.
func cutFold(text, prefix string) (rest string, ok bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}

// namedFile fills in where a file is. A spelling that file systems read as another name is returned in
// the plain one.
func (e *environment) namedFile(file gavel.NamedFile) gavel.NamedFile {
	full := e.Absolute(file.Given, e.Facts.Cwd)
	if !path.IsAbs(full) || !e.Host.FitsPath(full) {
		return file
	}
	file.Path = path.Clean(full)
	if names := host.MatchingOn(e.Facts.Platform); names.MayAlias(file.Path) {
		file.Path = names.Plain(file.Path)
	}
	if rest, rooted, ok := host.BehindProcess(full); ok && rooted {
		file.Path = rest
	}
	if real, ok := e.Host.Resolve(full); ok {
		file.Real = real
	}
	return file
}
