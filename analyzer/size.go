package analyzer

import (
	"gavel"
	"gavel/analyzer/host"
)

// measure observes how large a file is, or would be after a write, and how many names it has.
// What cannot be observed remains unknown. For an edit, the size is an upper bound: the size of the
// file plus everything that is added.
func (e *environment) measure(r *gavel.Resource, tool FileTool, params map[string]any) {
	size, known := 0, false
	switch bytes, names, regular := e.regularFile(r.Real); {
	case regular:
		size, known, r.Names = bytes, true, names
	case r.Real == "":
	default:
		switch e.Host.Kind(r.Real) {
		case host.KindMissing:
			known, r.Names = true, 1
		case host.KindDirectory:
			r.Names = 1
		}
	}
	switch {
	case r.Access == accessRead:
	case tool.Content != "":
		content, isText := params[tool.Content].(string)
		size, known = len(content), isText
	default:
		for _, name := range tool.Adds {
			size += e.textLength(params[name], maxDepth)
		}
		repeats, given := params[tool.Repeats]
		known = known && (!given || repeats == false)
	}
	if known {
		r.Size, r.Sized = size, true
	}
}

// regularFile returns the size in bytes and the number of names of a regular file.
func (e *environment) regularFile(real string) (size, names int, regular bool) {
	if real == "" {
		return 0, 0, false
	}
	bytes, names, regular := e.Host.File(real)
	return int(bytes), names, regular
}

// textLength returns the total length of the texts in a value, in bytes. It records an exceeded limit
// if the value is nested too deeply.
func (e *environment) textLength(value any, depth int) (sum int) {
	if depth == 0 {
		e.Host.ExceedLookups()
		return 0
	}
	switch value := value.(type) {
	case string:
		return len(value)
	case []any:
		for _, element := range value {
			sum += e.textLength(element, depth-1)
		}
	case map[string]any:
		for _, element := range value {
			sum += e.textLength(element, depth-1)
		}
	}
	return sum
}
