package bundles

import (
	"maps"
	"slices"

	"gavel"
)

// Cached values are never handed out: each decision gets its own copy.

func ownReasons(list []gavel.Reason) []gavel.Reason {
	list = slices.Clone(list)
	for i, reason := range list {
		if reason.Span != nil {
			span := *reason.Span
			list[i].Span = &span
		}
	}
	return list
}

func ownTerms(t *gavel.Terms) *gavel.Terms {
	if t == nil {
		return nil
	}
	own := *t
	own.Answers, own.Offer, own.Once = slices.Clone(t.Answers), slices.Clone(t.Offer), slices.Clone(t.Once)
	own.Approvers, own.Forward = slices.Clone(t.Approvers), slices.Clone(t.Forward)
	own.Entries = ownEntries(t.Entries)
	own.Args = maps.Clone(t.Args)
	for pattern, list := range own.Args {
		own.Args[pattern] = slices.Clone(list)
	}
	return &own
}

func ownOffer(o *gavel.Offer) *gavel.Offer {
	if o == nil {
		return nil
	}
	own := *o
	own.Patterns, own.Refused = ownEntries(o.Patterns), ownReasons(o.Refused)
	own.Templates = slices.Clone(o.Templates)
	for i, t := range own.Templates {
		own.Templates[i].Argv, own.Templates[i].Flags, own.Templates[i].Args = slices.Clone(t.Argv), slices.Clone(t.Flags), slices.Clone(t.Args)
	}
	return &own
}

func ownEntries(list []gavel.OfferedPattern) []gavel.OfferedPattern {
	list = slices.Clone(list)
	for i, e := range list {
		list[i].Args = slices.Clone(e.Args)
		if e.Only != nil {
			only := *e.Only
			only.Argv, only.Targets = slices.Clone(only.Argv), slices.Clone(only.Targets)
			only.Options, only.Words, only.Secrets = slices.Clone(only.Options), slices.Clone(only.Words), maps.Clone(only.Secrets)
			list[i].Only = &only
		}
	}
	return list
}
