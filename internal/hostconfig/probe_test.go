package hostconfig_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/hosts"
	"gavel/hosts/all"
	"gavel/internal/hostconfig"
)

// A probe that the translator refuses would prove nothing.
func TestEachProbeIsACallOfItsHost(t *testing.T) {
	list, err := hostconfig.Hosts()
	require.NoError(t, err)
	var names []string
	for _, h := range list {
		names = append(names, h.Name)
		if h.Probe == "" {
			assert.True(t, h.Plugin || h.Manual != "", "%s has no probe", h.Name)
			continue
		}
		t.Run(h.Name, func(t *testing.T) {
			payload, err := hosts.ReadPayload([]byte(h.Probe))
			require.NoError(t, err)
			translator, err := all.Detect(payload, h.Name)
			require.NoError(t, err)
			request, err := translator.Read(payload)
			require.NoError(t, err)
			require.Len(t, request.Calls, 1)
			assert.Equal(t, "exec", request.Calls[0].Tool.Name)
			assert.Empty(t, request.Calls[0].Tool.Unread)
			_, err = all.Detect(hosts.Payload{}, h.Name)
			assert.Error(t, err)
		})
	}
	assert.ElementsMatch(t, all.Names(), names, "each host that is translated has its settings in the table")
}
