package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/bundles"
)

// provoked collects the codes of the reasons that cases get over HTTP. Safe for concurrent use.
type provoked struct {
	mu    sync.Mutex
	cases int
	codes map[string]bool
}

func (p *provoked) add(decisions []gavel.Decision) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cases++
	for _, d := range decisions {
		for _, reason := range d.Reasons {
			p.codes[reason.Code] = true
		}
		if d.Exec != nil && d.Exec.Offer != nil {
			for _, reason := range d.Exec.Offer.Refused {
				p.codes[reason.Code] = true
			}
		}
	}
}

// readProvoked reads the codes that TestCodesThatNeedStateAreProvoked provokes: by scenario and code, the
// message and the fix.
func readProvoked(t *testing.T) map[string]map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "provoked.yaml"))
	require.NoError(t, err)
	list := map[string]map[string][]string{}
	require.NoError(t, yaml.Unmarshal(text, &list))
	return list
}

// compare fails the test for each code that no case provokes and testdata/unprovoked.yaml does not
// explain, and for each code there that a case provokes by now. It compares nothing when only some of
// the cases were run.
func (p *provoked) compare(t *testing.T, cases int) {
	if p.cases < cases {
		return
	}
	text, err := os.ReadFile(filepath.Join("testdata", "unprovoked.yaml"))
	require.NoError(t, err)
	for _, codes := range readProvoked(t) {
		for code := range codes {
			p.codes[code] = true
		}
	}
	listed := map[string]string{}
	require.NoError(t, yaml.Unmarshal(text, &listed))
	a := &app{now: time.Now, getenv: func(string) string { return "" }}
	shipped, err := bundles.Load(context.Background(), a.source("", nil))
	require.NoError(t, err)
	var missing []string
	exists := map[string]bool{}
	for _, rule := range shipped.Rules() {
		exists[rule.Code] = true
		if !p.codes[rule.Code] && listed[rule.Code] == "" {
			missing = append(missing, rule.Code)
		}
	}
	assert.Empty(t, missing, "add a case to testdata/decisions that provokes these codes, or say in testdata/unprovoked.yaml why none can")
	for _, code := range slices.Sorted(maps.Keys(listed)) {
		assert.True(t, exists[code], "testdata/unprovoked.yaml lists %s, which no rule has", code)
		assert.False(t, p.codes[code], "a case provokes %s: remove it from testdata/unprovoked.yaml", code)
	}
}
