//go:build linux

package service

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func FuzzReadLine(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"token":"t","exec":{"agent":"main","command":"ls"}}`, `{"id":[1,"x"],"token":"t","process":{"action":"list"}}`, `{"id":null,"exec":null}`,
		`{"exec":{},"process":{}}`, `{"id":1,"id":2,"exec":{}}`, `{"ID":1,"exec":{}}`, `{"exec":"\ud800"}`, `{"exec":{}} {}`, `[]`, `{`, ``, "\xff", `{"token":7,"exec":{}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		kept := append([]byte{}, line...)
		request, err := readLine(line)
		for i := range line {
			line[i] = 0 // its memory is used for the next line
		}
		assert.True(t, json.Valid(idOf(request)), "the answer has the id of its request, or null")
		if err != nil {
			return
		}
		require.NotEqual(t, request.Exec == nil, request.Process == nil, "%s", kept)
		var same struct {
			Token         string
			Exec, Process json.RawMessage
		}
		require.NoError(t, json.Unmarshal(kept, &same))
		assert.Equal(t, same.Token, request.Token)
		assert.Equal(t, string(same.Exec)+string(same.Process), string(request.Exec)+string(request.Process))
	})
}
