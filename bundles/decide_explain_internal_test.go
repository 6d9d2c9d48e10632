package bundles

import (
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
)

// The test passes hours by setting the timer back, so that its own running time does not matter.
func TestTimeCountsForTheLayerOfTheRunningRule(t *testing.T) {
	t.Parallel()
	rule := func(text string) ast.Ref { return ast.MustParseRef(text) }
	w := newLayerTimer([]string{"tools", "exec"})
	begins := func(text string) { w.Get(rule(text)) }
	ends := func(text string) { w.Put(rule(text), ast.BooleanTerm(true)) }
	passes := func(hours int) { w.last = w.last.Add(-time.Duration(hours) * time.Hour) }

	passes(100) // before any rule
	begins("data.gavel.decision.result")
	passes(1)
	begins("data.gavel.tools.deny")
	passes(2)
	begins("data.gavel.reason.make") // not a layer: counts for tools
	passes(4)
	begins("data.gavel.exec.deny")
	begins("data.gavel.exec.misses.missed_segments") // never ends, because it is undefined
	passes(8)
	ends("data.gavel.exec.deny")
	passes(16)                     // counts for tools, which asked
	begins("data.gavel.exec.deny") // has a value already, so nothing begins
	passes(32)
	ends("data.gavel.tools.deny")
	passes(64)
	ends("data.gavel.decision.result")
	passes(128)
	begins("data.elsewhere.exec.deny")

	spent := map[string]int{}
	for layer, d := range w.spent {
		spent[layer] = int(d / time.Hour)
	}
	assert.Equal(t, map[string]int{"decision": 1 + 64, "tools": 2 + 4 + 16 + 32, "exec": 8}, spent)
}
