package analyzer

import (
	"gavel"
	"gavel/analyzer/host"
)

// measure observes how large a file is, or would be after a write, and how many names it has.
// What cannot be observed stays unknown. For an edit the size is an upper bound: that of the file
// and of all that is added.
func (p *place) measure(r *gavel.Resource, tool FileTool, params map[string]any) {
	size, known := 0, false
	switch there, names, regular := p.file(r.Real); {
	case regular:
		size, known, r.Names = there, true, names
	case r.Real == "":
	default:
		switch p.Host.Kind(r.Real) {
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
			size += p.textIn(params[name], maxDepth)
		}
		again, given := params[tool.Repeats]
		known = known && (!given || again == false)
	}
	if known {
		r.Size, r.Sized = size, true
	}
}

// file returns the size and the names of a regular file.
func (p *place) file(real string) (size, names int, regular bool) {
	if real == "" {
		return 0, 0, false
	}
	bytes, names, regular := p.Host.File(real)
	return int(bytes), names, regular
}

// textIn returns the length of all texts in a value, in bytes. It reports an exceeded limit if the
// value is nested too deeply.
func (p *place) textIn(value any, depth int) (sum int) {
	if depth == 0 {
		p.Host.TooMuch()
		return 0
	}
	switch value := value.(type) {
	case string:
		return len(value)
	case []any:
		for _, one := range value {
			sum += p.textIn(one, depth-1)
		}
	case map[string]any:
		for _, one := range value {
			sum += p.textIn(one, depth-1)
		}
	}
	return sum
}
