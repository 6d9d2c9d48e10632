package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The names of metrics are read from the source: Name: "gavel_…" and prometheus.NewDesc("gavel_…".
// The decision log omits its prefix: counter("events_total", gauge("queue_bytes".
func TestOperationsPageListsEveryMetric(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "operations.md"))
	require.NoError(t, err)
	fullName := regexp.MustCompile(`(?:Name: *|NewDesc\()"(gavel_[a-z_]+)"`)
	logName := regexp.MustCompile(`(?:counter|gauge)\("([a-z_]+)"`)
	names := map[string]bool{}
	for file, text := range repositoryFiles(t) {
		if filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, match := range fullName.FindAllStringSubmatch(text, -1) {
			names[match[1]] = true
		}
		if file == "decisionlog/metrics.go" {
			for _, match := range logName.FindAllStringSubmatch(text, -1) {
				names["gavel_decision_log_"+match[1]] = true
			}
		}
	}
	for name := range names {
		assert.Contains(t, string(page), "`"+name+"`", "docs/operations.md lacks a metric")
	}
	for _, match := range regexp.MustCompile("`(gavel_[a-z_]+)`").FindAllStringSubmatch(string(page), -1) {
		assert.Contains(t, names, match[1], "docs/operations.md names a metric that does not exist")
	}
	assert.Greater(t, len(names), 20, "too few metrics were found")
}
