package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/hostconfig"
)

func TestDoctorNamesTheHostsThatRunTheOriginalCommand(t *testing.T) {
	t.Parallel()
	list, err := hostconfig.Hosts()
	require.NoError(t, err)
	var names []string
	for _, host := range list {
		if unrewrittenNote(host) != "" {
			names = append(names, host.Name)
		}
	}
	assert.Equal(t, []string{"cursor", "qwen-code", "vscode", "windsurf"}, names)
}
