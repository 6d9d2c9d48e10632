package bundles

import (
	"gavel/bundles/config"

	"github.com/open-policy-agent/opa/v1/ast"
)

// These functions read tables of the shipped policy from the data of a policy. A policy that
// replaces the gavel root need not have them.

// coveredTools returns the tools that every frozen part covers, whatever tool is called.
func coveredTools(data map[string]any) map[string]bool {
	covered := map[string]bool{}
	tools, _ := config.LookUp(data, "gavel", "catalog", "tools").(map[string]any)
	for name := range tools {
		covered[name] = true
	}
	ungrouped, _ := config.LookUp(data, "gavel", "catalog", "ungrouped").([]any)
	for _, name := range ungrouped {
		if text, ok := name.(string); ok {
			covered[text] = true
		}
	}
	return covered
}

// toolAliases returns the canonical name of a tool for each of its aliases.
func toolAliases(data map[string]any) map[string]string {
	aliases := map[string]string{}
	table, _ := config.LookUp(data, "gavel", "catalog", "aliases").(map[string]any)
	for name, tool := range table {
		aliases[name], _ = tool.(string)
	}
	return aliases
}

// packData returns the packs by name.
func packData(data ast.Object) map[string]any {
	found, err := data.Find(ast.MustParseRef("data.gavel.catalog.packs")[1:])
	if err != nil {
		return nil
	}
	value, err := ast.JSON(found)
	if err != nil {
		return nil
	}
	packs, _ := value.(map[string]any)
	return packs
}
