package bundles

import (
	"maps"
	"slices"

	"gavel"
)

// Results are cached, and a caller may change its decision. So each decision has deep copies. A
// test compares the copies with the originals by reflection.

func cloneReasons(list []gavel.Reason) []gavel.Reason {
	list = slices.Clone(list)
	for i, reason := range list {
		if reason.Span != nil {
			span := *reason.Span
			list[i].Span = &span
		}
	}
	return list
}

func cloneTerms(t *gavel.Terms) *gavel.Terms {
	if t == nil {
		return nil
	}
	clone := *t
	clone.Answers, clone.Offer, clone.Once = slices.Clone(t.Answers), slices.Clone(t.Offer), slices.Clone(t.Once)
	clone.Approvers, clone.Forward = slices.Clone(t.Approvers), slices.Clone(t.Forward)
	clone.Entries = clonePatterns(t.Entries)
	clone.Args = maps.Clone(t.Args)
	for pattern, list := range clone.Args {
		clone.Args[pattern] = slices.Clone(list)
	}
	return &clone
}

func cloneOffer(o *gavel.Offer) *gavel.Offer {
	if o == nil {
		return nil
	}
	clone := *o
	clone.Patterns, clone.Refused = clonePatterns(o.Patterns), cloneReasons(o.Refused)
	clone.Templates = slices.Clone(o.Templates)
	for i, t := range clone.Templates {
		clone.Templates[i].Argv, clone.Templates[i].Flags, clone.Templates[i].Args = slices.Clone(t.Argv), slices.Clone(t.Flags), slices.Clone(t.Args)
	}
	return &clone
}

func clonePatterns(list []gavel.OfferedPattern) []gavel.OfferedPattern {
	list = slices.Clone(list)
	for i, p := range list {
		list[i].Args = slices.Clone(p.Args)
		if p.Only != nil {
			only := *p.Only
			only.Argv, only.Targets = slices.Clone(only.Argv), slices.Clone(only.Targets)
			only.Options, only.Words, only.Secrets = slices.Clone(only.Options), slices.Clone(only.Words), maps.Clone(only.Secrets)
			list[i].Only = &only
		}
	}
	return list
}

func cloneWeb(w *gavel.Web) *gavel.Web {
	if w == nil {
		return nil
	}
	clone := *w
	clone.Dial = slices.Clone(w.Dial)
	return &clone
}

func cloneAsks(a *gavel.Asks) *gavel.Asks {
	if a == nil {
		return nil
	}
	clone := *a
	clone.Verifiers, clone.Redact = slices.Clone(a.Verifiers), slices.Clone(a.Redact)
	clone.Reasons = cloneReasons(a.Reasons)
	return &clone
}
