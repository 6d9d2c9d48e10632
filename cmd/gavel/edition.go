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

// showEdition writes one line, and a second one if the catalog in force is another.
func (a *app) showEdition(r editionReport) {
	signs := ""
	if len(r.Signs) > 0 {
		signs = ", because of " + strings.Join(r.Signs[:min(3, len(r.Signs))], ", ")
		if more := len(r.Signs) - 3; more > 0 {
			signs += " and " + count(more, "other place", "other places")
		}
	}
	a.printf("edition %s%s; the catalog of tools in force is %s\n", r.LooksLike, clean(signs), r.Catalog)
	if r.LooksLike == editionNewest && r.Catalog == editionDocuments {
		a.printf("  newer tools are in no profile then; tools.catalog: %s puts them where that version does\n", editionNewest)
	}
}
