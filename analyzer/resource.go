package analyzer

import (
	"fmt"
	"path"
	"strings"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

const accessRead = "read"

// resources returns the files that a file tool names in its parameters. A name that cannot be read
// exactly becomes an unknown file, marked as odd.
func (e *environment) resources(tool *gavel.ToolFacts, params map[string]any) []gavel.Resource {
	list := []gavel.Resource{}
	reads, known := e.fileTools[tool.Name]
	var odd []string
	name := func(key string) string {
		given, there := params[key]
		text, ok := given.(string)
		if there && !ok {
			odd = append(odd, key+" that is not text")
		}
		return text
	}
	below := reads.Below != "" && params[reads.Below] != nil && params[reads.Below] != false
	add := func(access, given string) {
		r := e.resource(access, given)
		r.File = access != accessRead || !below && !e.isDirectory(&r)
		e.measure(&r, reads, params)
		list = append(list, r)
		if what := oddName(given); what != "" {
			odd = append(odd, what)
		}
		if short := host.MatchingOn(e.Facts.Platform).ShortName(given); short != "" {
			odd = append(odd, fmt.Sprintf("the name %q, perhaps the short form of another one", shell.Excerpt(short)))
		}
	}
	switch {
	case !known:
		return list
	case reads.Patch:
		names, what := readPatch(name(reads.Parameter))
		if what != "" {
			odd = append(odd, what)
		}
		for _, given := range names {
			add(reads.Access, given)
		}
		if len(names) == 0 {
			add(reads.Access, "")
		}
	default:
		add(reads.Access, name(reads.Parameter))
	}
	tool.Parameters = e.parameterNames(tool.Parameters, "", params, maxDepth)
	tool.Parameters, tool.Odd = spelling.Tidy(tool.Parameters), spelling.Tidy(odd)
	return list
}

// parameterNames appends the names of the members of a value, with those of the objects in it: edits.path
// for a member of an element of edits. It records an exceeded limit if the value is nested too deeply.
func (e *environment) parameterNames(names []string, prefix string, value any, depth int) []string {
	if depth == 0 {
		e.Host.ExceedLookups()
		return names
	}
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			names = append(names, prefix+key)
			names = e.parameterNames(names, prefix+key+".", member, depth-1)
		}
	case []any:
		for _, element := range value {
			names = e.parameterNames(names, prefix, element, depth-1)
		}
	}
	return names
}

// isDirectory reports whether a file is certainly a directory.
func (e *environment) isDirectory(r *gavel.Resource) bool {
	return strings.HasSuffix(r.Given, "/") || r.Real != "" && (r.Real == e.Facts.Cwd || e.Host.Kind(r.Real) == host.KindDirectory)
}

// resource resolves a file name. Path and Real are "" if they are unknown. A relative name is
// relative to the working directory.
func (e *environment) resource(access, name string) gavel.Resource {
	r := gavel.Resource{Access: access, Given: name}
	full := name
	switch {
	case name == "":
		return r
	case strings.HasPrefix(name, "~/") && e.Facts.Home != "":
		full = e.Facts.Home + name[1:]
	case path.IsAbs(name):
	case e.Facts.Cwd == "" || strings.HasPrefix(name, "~"):
		return r
	default:
		full = e.Facts.Cwd + "/" + name
	}
	if !e.Host.FitsPath(full) {
		return r
	}
	r.Path = path.Clean(full)
	if real, ok := e.Host.Resolve(full); ok {
		r.Real = real
	}
	return r
}
