package bundles

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

func (s *Snapshot) readReasons(term *ast.Term) ([]gavel.Reason, error) {
	var list []gavel.Reason
	err := each(term, func(element *ast.Term) { list = append(list, s.readReason(element)) })
	slices.SortStableFunc(list, compareReasons)
	return list, err
}

func (s *Snapshot) readReason(term *ast.Term) gavel.Reason {
	source, code := get(term, "source"), getString(term, "code")
	reason := gavel.Reason{
		Layer: getString(term, "layer"), Code: code,
		Message: getString(term, "message"), Fix: getString(term, "fix"),
		Source: s.locate(getString(source, "path"), getString(source, "from")),
	}
	if span := get(term, "span"); span != nil {
		reason.Span = &gavel.Span{Start: getInt(span, "start"), End: getInt(span, "end")}
	}
	if args := get(term, "args"); args != nil {
		reason.Layer, reason.Message, reason.Fix = s.texts[code].render(code, args, get(term, "fix_args"))
	}
	reason.Message, reason.Fix = s.maskSecrets(reason.Message), s.maskSecrets(reason.Fix)
	return reason
}

// compareReasons sorts reasons about the whole call before reasons about a part of the command,
// and these by their position.
func compareReasons(a, b gavel.Reason) int { return cmp.Compare(reasonRank(a), reasonRank(b)) }

// toolAllowed is the reason that nearly every allowed call has. It says the least, so it is last.
const toolAllowed = "tools.allowed"

func reasonRank(r gavel.Reason) int {
	switch {
	case r.Code == toolAllowed:
		return math.MaxInt
	case r.Span != nil:
		return 1 + r.Span.Start
	default:
		return 0
	}
}

// maskSecrets hides the secrets of a call that a text for people quotes.
func (s *Snapshot) maskSecrets(text string) string {
	masked, _ := s.masker.Text(text)
	return masked
}

// locate finds the line of a setting. A default has no file.
func (s *Snapshot) locate(path, from string) gavel.Source {
	source := gavel.Source{Path: path, From: from}
	line, _, ok := s.document.Locate(path)
	switch {
	case ok && s.document.File == inlineConfigName:
		source.File = inlineConfigName // OPA merged it from any number of files, so there is no line
	case ok:
		source.File, source.Line = s.document.File, line
	}
	return source
}

// readLayer reads the verdict of a layer: deny over ask over permit.
func (s *Snapshot) readLayer(name string, term *ast.Term) (gavel.Layer, error) {
	layer := gavel.Layer{Layer: name, Title: getString(term, "title"),
		Required: getBool(term, "required"), Permit: getBool(term, "permit")}
	layer.Reasons, layer.Verdict = []gavel.Reason{}, verdictWithoutReasons(layer)
	for _, kind := range []string{"ask", "deny"} {
		reasons, err := s.readReasons(get(term, kind))
		if err != nil {
			return layer, fmt.Errorf("layer %s: %w", name, err)
		}
		if len(reasons) > 0 {
			layer.Reasons, layer.Verdict = append(reasons, layer.Reasons...), kind
		}
	}
	return layer, nil
}

func verdictWithoutReasons(layer gavel.Layer) string {
	switch {
	case layer.Permit:
		return "permit"
	case layer.Required:
		return "silent"
	}
	return "not required"
}
