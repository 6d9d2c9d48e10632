package main

import (
	"cmp"
	"strings"

	"gavel/bundles"
)

// The editions that gavel check tells apart.
const (
	editionDocuments = "documents"
	editionNewest    = "openclaw-2026.9"
)

// editionReport says for which version of OpenClaw a configuration looks written.
type editionReport struct {
	Catalog   string   `json:"catalog"` // in force: tools.catalog, or its default
	LooksLike string   `json:"looksLike"`
	Signs     []string `json:"signs,omitempty"` // paths of what only that version has
}

func edition(notes bundles.Notes) *editionReport {
	report := &editionReport{Catalog: cmp.Or(notes.Edition, editionDocuments), LooksLike: editionDocuments, Signs: notes.Newer}
	if len(notes.Newer) > 0 {
		report.LooksLike = editionNewest
	}
	return report
}

// showEdition says what to do if the configuration names what only a newer version has, and the catalog
// in force is not that version's.
func (a *app) showEdition(r editionReport) {
	if r.LooksLike == r.Catalog || r.LooksLike != editionNewest {
		return
	}
	signs := strings.Join(r.Signs[:min(3, len(r.Signs))], ", ")
	if more := len(r.Signs) - 3; more > 0 {
		signs += " and " + count(more, "other location", "other locations")
	}
	a.printf("%s: written for OpenClaw 2026.9, but tools.catalog is %s, so newer tools are in no profile\n", clean(signs), r.Catalog)
	a.printf("  set tools.catalog: %s to put them where that version does\n", editionNewest)
}
