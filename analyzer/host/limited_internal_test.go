package host

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAReusedHostHoldsNothingOfThePreviousCall(t *testing.T) {
	t.Parallel()
	answers := func(w *Limited) []any {
		named, found := w.Named("rg", nil)
		at, there := w.At("/usr/bin/rg")
		script, read := w.Script("/srv/app/run.sh")
		real, known := w.Resolve("/srv/app/nul")
		size, names, sized := w.File("/srv/app/a")
		return []any{named, found, w.Absent("rg", nil), at, there, script, read, real, known, w.Kind("/srv/app"), size, names, sized, w.Exceeded()}
	}
	ended, cancel := context.WithCancel(t.Context())
	used := Limit(ended, Claim(map[string]string{"rg": "/usr/bin/rg"}))
	used.SetNameMatching(MatchWindows)
	for n := range 2 * maxSearched {
		used.Resolve("/secret/" + strconv.Itoa(n))
	}
	answers(used)
	used.ExceedLookups()
	cancel()
	used.TimedOut()
	used.Release()
	for _, kept := range used.reals.few[:cap(used.reals.few)] {
		assert.Zero(t, kept)
	}
	assert.Zero(t, used.host)
	assert.Zero(t, used.budget)
	none := map[string]string{}
	used.Reset(t.Context(), Claim(none))
	fresh := Limit(t.Context(), Claim(none))
	assert.Equal(t, answers(fresh), answers(used))
	assert.Equal(t, fresh.left, used.left, "every question was asked again")
}
