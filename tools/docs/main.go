// Command docs writes the generated files in docs/: reasons.md from the METADATA of the rules,
// configuration.md from its JSON Schema, approvals.md from the policy, binding.md from test vectors,
// programs.md from the catalog, and the tables in http.md and openapi.json from the tables of routes
// and scopes. From openapi.json it generates the types of the clients. A test compares the files with
// the output of this command.
package main

import (
	"context"
	"fmt"
	"log"
	"maps"
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
	pages, err := pages(context.Background(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// pages returns every generated file by its path relative to dir.
func pages(ctx context.Context, dir string) (map[string]string, error) {
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
	list, err := pagesWithTables(dir)
	if err != nil {
		return nil, err
	}
	if list["programs.md"], err = programsPage(rego.Policy); err != nil {
		return nil, err
	}
	root := filepath.Dir(filepath.Clean(dir))
	call, err := callSchema(root)
	if err != nil {
		return nil, err
	}
	approval, err := approvalSchema(root)
	if err != nil {
		return nil, err
	}
	if list["../rego/schema/call.json"], err = jsonDocument(call); err != nil {
		return nil, err
	}
	api, err := openAPI(call, approval)
	if err != nil {
		return nil, err
	}
	if list["openapi.json"], err = jsonDocument(api); err != nil {
		return nil, err
	}
	types, err := clientTypes(api)
	if err != nil {
		return nil, err
	}
	maps.Copy(list, types)
	list["binding.md"] = bindingPage()
	list["approvals.md"], list["reasons.md"], list["configuration.md"] = answers, reasonsPage(snapshot.Rules()), configuration
	return list, nil
}
