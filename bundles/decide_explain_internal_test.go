package bundles

import (
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
)

// Times are made by setting back the clock of the stopwatch, and are whole hours: what
// the test itself takes does not show.
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
	begins("data.gavel.reason.make") // nobody's
	passes(4)
	begins("data.gavel.exec.deny")
	begins("data.gavel.exec.segments.missed") // without an end: it is undefined for some key
	passes(8)
	ends("data.gavel.exec.deny")
	passes(16)                     // of tools, which asked
	begins("data.gavel.exec.deny") // known already
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
