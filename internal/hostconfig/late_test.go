package hostconfig_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/hook"
	"gavel/internal/hostconfig"
)

// limits are the time limits of the hooks in a value of the table. Some hosts count milliseconds.
func limits(value any) (list []time.Duration) {
	switch v := value.(type) {
	case []any:
		for _, inner := range v {
			list = append(list, limits(inner)...)
		}
	case map[string]any:
		for name, inner := range v {
			number, isNumber := inner.(int)
			switch {
			case !isNumber:
				list = append(list, limits(inner)...)
			case name != "timeout" && name != "timeoutSec":
			case number >= 1000:
				list = append(list, time.Duration(number)*time.Millisecond)
			default:
				list = append(list, time.Duration(number)*time.Second)
			}
		}
	}
	return list
}

// Most hosts run the tool when their limit for the hook has passed.
func TestNoHostStopsWaitingBeforeTheHookDenies(t *testing.T) {
	list, err := hostconfig.Hosts()
	require.NoError(t, err)
	for _, h := range list {
		for _, l := range h.Lists {
			found := limits(l.Item)
			if h.Name == "windsurf" { // it has no setting for it
				assert.Empty(t, found)
				continue
			}
			require.Len(t, found, 1, "%s %s", h.Name, l.At)
			assert.Greater(t, found[0], hook.Timeout+time.Second, "%s %s", h.Name, l.At)
		}
	}
}
