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

// Metrics are named where they are made: Name: "gavel_…", or prometheus.NewDesc("gavel_…"; those of the
// decision log without what they begin with: counter("events_total", gauge("queue_bytes".
func TestThePageOnOperationsHasEveryMetric(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "operations.md"))
	require.NoError(t, err)
	made := regexp.MustCompile(`(?:Name: *|NewDesc\()"(gavel_[a-z_]+)"`)
	ofTheLog := regexp.MustCompile(`(?:counter|gauge)\("([a-z_]+)"`)
	names := map[string]bool{}
	for file, text := range written(t) {
		if filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, match := range made.FindAllStringSubmatch(text, -1) {
			names[match[1]] = true
		}
		if file == "decisionlog/metrics.go" {
			for _, match := range ofTheLog.FindAllStringSubmatch(text, -1) {
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
	assert.Greater(t, len(names), 20, "the metrics were not found")
}
