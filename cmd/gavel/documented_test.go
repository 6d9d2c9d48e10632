package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// named are the files that docs/policies.md shows, each below a comment with its name.
var named = regexp.MustCompile("(?s)<!-- file: (\\S+) -->\n```[a-z]*\n(.*?)```")

// The files that the page shows belong to one policy, whose tests and cases pass.
func TestTheExampleOfThePageOnPoliciesWorks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "policies.md"))
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "policy")
	a, _, stderr := testApp("")
	require.Equal(t, exitOK, a.run(t.Context(), []string{"init", dir}), stderr)
	files := named.FindAllSubmatch(text, -1)
	require.Len(t, files, 3, "the files were not found")
	for _, file := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, string(file[1])), file[2], 0o600))
	}
	a, stdout, stderr := testApp("")
	assert.Equal(t, exitOK, a.run(t.Context(), []string{"test", dir}), "%s%s", stdout, stderr)
	assert.Contains(t, stdout.String(), "11 Rego tests, 3 cases with 12 calls; coverage 100.0 %")
}

// The line that the README adds below rules: denies the call that it sends, which was allowed before.
func TestTheFirstChangeOfTheReadmeWorks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	line := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(text)
	call := regexp.MustCompile(`-d '(.*?)'`).FindSubmatch(text)
	require.NotNil(t, line, "the README shows no line")
	require.NotNil(t, call, "the README sends no call")
	dir := filepath.Join(t.TempDir(), "policy")
	a, _, stderr := testApp("")
	require.Equal(t, exitOK, a.run(t.Context(), []string{"init", dir}), stderr)
	file := filepath.Join(dir, "config.yaml")
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	after := strings.Replace(string(before), "\n    rules:\n", "\n    rules:\n"+string(line[1]), 1)
	require.NotEqual(t, string(before), after, "the policy has no rules:")
	require.NoError(t, os.WriteFile(file, []byte(after), 0o600))
	a, stdout, stderr := testApp(string(call[1]))
	assert.Equal(t, exitDenied, a.run(t.Context(), []string{"decide", "--policy", dir}), stderr)
	assert.Contains(t, stdout.String(), `"exec.rule_denied"`)
}

// Every rule in a page compiles as a part of a policy.
func TestRulesInPagesCompile(t *testing.T) {
	t.Parallel()
	blocks := regexp.MustCompile("(?s)```rego\n(package .*?)```")
	for page, least := range map[string]int{"docs/policies.md": 3, "docs/decision-log.md": 1} {
		text, err := os.ReadFile(filepath.Join("..", "..", page))
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("agents: {coder: {profile: coding}}\n"), 0o600))
		found := blocks.FindAllSubmatch(text, -1)
		assert.GreaterOrEqual(t, len(found), least, "%s has no rule", page)
		for i, block := range found {
			name := fmt.Sprintf("rule%d.rego", i)
			if strings.Contains(string(block[1]), "_test\n") {
				name = fmt.Sprintf("rule%d_test.rego", i)
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), block[1], 0o600))
		}
		a, stdout, stderr := testApp("")
		assert.Equal(t, exitOK, a.run(t.Context(), []string{"check", dir}), "%s: %s%s", page, stdout, stderr)
		assert.NotContains(t, stdout.String(), "[warning]", page)
	}
}

// Every configuration in a page is one that Gavel accepts. Those of docs/configuration.md are tested where it is made.
func TestConfigurationsInPagesAreValid(t *testing.T) {
	t.Parallel()
	blocks := regexp.MustCompile("(?s)```yaml\n((?:tools|approvals|agents|commands):.*?)```")
	for _, page := range []string{"approvals", "command-rules", "operators", "verifier", "directives", "credentials"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", page+".md"))
		require.NoError(t, err)
		for _, block := range blocks.FindAllSubmatch(text, -1) {
			file := filepath.Join(t.TempDir(), "config.yaml")
			require.NoError(t, os.WriteFile(file, block[1], 0o600))
			a, stdout, stderr := testApp("")
			others := a.getenv
			a.getenv = func(name string) string { // the pages take secrets from variables; this one has the form of a bot's token
				if strings.HasSuffix(name, "_SECRET") || strings.HasSuffix(name, "_TOKEN") {
					return "123456:" + strings.Repeat("A", 35)
				}
				return others(name)
			}
			assert.Equal(t, exitOK, a.run(t.Context(), []string{"check", file}), "%s: %s%s\n%s", page, stdout, stderr, block[1])
		}
	}
}
