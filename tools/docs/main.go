// Command docs writes the generated pages of docs/: the reasons, from the METADATA
// of the rules, the configuration, from its JSON Schema, and approvals, from the policy. A test holds the pages
// to what it writes.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"gavel/bundles"
	"gavel/rego"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: docs DIRECTORY")
	}
	pages, err := pages(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// pages returns every generated page by its file name.
func pages(ctx context.Context) (map[string]string, error) {
	snapshot, err := bundles.Load(ctx, bundles.Config{Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: rego.DefaultConfig, Now: time.Now})
	if err != nil {
		return nil, fmt.Errorf("load the shipped policy: %w", err)
	}
	configuration, err := configurationPage(rego.ConfigSchema)
	if err != nil {
		return nil, err
	}
	answers, err := approvalsPage(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]string{"approvals.md": answers, "reasons.md": reasonsPage(snapshot.Rules()), "configuration.md": configuration}, nil
}
