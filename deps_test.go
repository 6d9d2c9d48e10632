package gavel_test

import (
	"maps"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Imports point from cmd, which connects everything, to the main parts, and from these to the
// vocabulary. The main parts do not import each other, so that each can be read, tested and replaced
// alone.
func TestImportsPointOneWay(t *testing.T) {
	allowed := importRules()
	seen := map[string]bool{}
	for name, imports := range packages(t) {
		if strings.HasPrefix(name, "gavel/cmd/") {
			continue // cmd connects everything
		}
		rule, known := allowed[name]
		if !assert.True(t, known, "%s is a new package: add what it may import, and why, to deps_rules_test.go", name) {
			continue
		}
		seen[name] = true
		for _, other := range imports {
			if other == "gavel" || strings.HasPrefix(other, "gavel/") {
				assert.Contains(t, rule.imports, other, "%s must not import it: %s", name, rule.why)
			}
		}
	}
	for name := range allowed {
		assert.True(t, seen[name], "%s does not exist any more: remove it from deps_rules_test.go", name)
	}
}

// importRules returns the rules of all packages except those in cmd.
func importRules() map[string]importRule {
	all := map[string]importRule{}
	for _, group := range []map[string]importRule{vocabularyImports(), internalImports(), analyzerImports(), stateImports(), serverImports(), hostImports(), enforcementImports(), toolImports()} {
		maps.Copy(all, group)
	}
	return all
}

func TestTheVocabularyImportsTheStandardLibraryOnly(t *testing.T) {
	for _, path := range packages(t)["gavel"] {
		first, _, _ := strings.Cut(path, "/")
		assert.NotContains(t, first, ".", path)
	}
}

// Programs that enforce decisions link the client, and must not need other modules for it.
func TestTheClientImportsTheStandardLibraryOnly(t *testing.T) {
	for _, path := range packages(t)["gavel/client"] {
		first, _, _ := strings.Cut(path, "/")
		assert.NotContains(t, first, ".", path)
	}
}

// internal/regoir evaluates OPA's plans and contains no decision. tools/regotest runs Rego tests and is
// not part of the product.
func TestOnlyBundlesImportsOPA(t *testing.T) {
	found := false
	for name, imports := range packages(t) {
		for _, path := range imports {
			if strings.HasPrefix(path, "github.com/open-policy-agent/opa") {
				found = true
				assert.Contains(t, []string{"gavel/bundles", "gavel/bundles/builtins", "gavel/internal/regoir", "gavel/tools/regotest"}, name, path)
			}
		}
	}
	assert.True(t, found, "the list of imports is empty or wrong")
}

// packages returns the module's packages with the imports of their production code.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").Output()
	require.NoError(t, err)
	list := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		list[fields[0]] = fields[1:]
	}
	require.NotEmpty(t, list)
	return list
}

// Only the server, cmd and the tools serve HTTP; the packages that clients lists send requests.
func TestOnlyTheServerKnowsHTTP(t *testing.T) {
	serves := 0
	for name, imports := range packages(t) {
		for _, path := range imports {
			if path != "net/http" && !strings.HasPrefix(path, "github.com/go-chi/chi") {
				continue
			}
			switch {
			case name == "gavel/server" || strings.HasPrefix(name, "gavel/server/"):
				serves++
			case strings.HasPrefix(name, "gavel/cmd/") || strings.HasPrefix(name, "gavel/tools/"):
			default:
				assert.Contains(t, clients(), name, "%s imports %s: only clients outside server do", name, path)
			}
		}
	}
	assert.NotZero(t, serves, "the list of imports is empty or wrong")
}

// clients lists the packages outside server that send HTTP requests.
func clients() []string {
	return []string{
		"gavel/approvals/forward",
		"gavel/client",
		"gavel/identity",
		"gavel/internal/clientcases",
		"gavel/internal/outgoing",
		"gavel/internal/telegram",
		"gavel/runner/service",
		"gavel/verifiers/receiver",
		"gavel/verifiers/webhook",
	}
}
