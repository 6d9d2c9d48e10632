package hosts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
)

func TestATableWithUnknownSettingsIsRefused(t *testing.T) {
	for about, text := range map[string]string{
		"an unknown key":                         "A: {tool: read, taks: {}}",
		"no tool":                                "A: {drops: [x]}",
		"an unknown kind":                        "A: {tool: read, takes: {x: {as: path, of: string}}}",
		"each of something that is not a list":   "A: {tool: read, each: x, takes: {x: {as: path, of: text}}}",
		"each of what is not taken":              "A: {tool: read, each: y, takes: {x: {as: path, of: texts}}}",
		"an unknown fact":                        "A: {tool: exec, takes: {x: {of: flag, fact: other}}}",
		"a rename beside parameters that remain": "A: {tool: x, keeps: true, takes: {x: {as: y, of: text}}}",
	} {
		t.Run(about, func(t *testing.T) {
			_, err := hosts.ReadTable([]byte(text))
			assert.Error(t, err)
		})
	}
}

func TestAListBecomesOneCallForEachElement(t *testing.T) {
	table, err := hosts.ReadTable([]byte("run: {tool: exec, each: commands, takes: {\n" +
		"  commands: {as: command, of: texts, required: true}, timeout: {as: timeout, of: milliseconds}}}"))
	require.NoError(t, err)
	read := func(text string) []gavel.Call {
		p, err := hosts.ReadPayload([]byte(text))
		require.NoError(t, err)
		return table.Calls(gavel.Call{}, "run", p.Object)
	}
	list := read(`{"commands":["a","b"],"timeout":500}`)
	require.Len(t, list, 2)
	assert.Equal(t, map[string]any{"command": "a", "timeout": 0.5}, list[0].Tool.Params)
	assert.Equal(t, map[string]any{"command": "b", "timeout": 0.5}, list[1].Tool.Params)
	for _, text := range []string{`{"commands":[]}`, `{"commands":"a"}`, `{"commands":[1]}`, `{}`, `{"commands":null}`} {
		list = read(text)
		require.Len(t, list, 1, text)
		assert.NotEmpty(t, list[0].Tool.Unread, text)
	}
}
