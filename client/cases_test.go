package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/client"
	"gavel/internal/clientcases"
)

// The clients in TypeScript and Python run the same cases (make test-clients).
func TestTheCasesOfEveryClient(t *testing.T) {
	cases, err := clientcases.Read("..")
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "gavel") // short: a socket's path has a limit
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	servers, err := clientcases.Start(t.Context(), "..", dir, cases)
	require.NoError(t, err)
	t.Cleanup(servers.Stop)
	for i, one := range cases {
		t.Run(one.Name, func(t *testing.T) { check(t, servers, i, one) })
	}
}

func check(t *testing.T, servers *clientcases.Servers, index int, one clientcases.Case) {
	t.Helper()
	dir := t.TempDir()
	var call gavel.Call
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(string(one.Call), "$DIR", dir)), &call))
	asked, err := client.New(configOf(servers, index, one))
	require.NoError(t, err)
	if one.Op == "decide" {
		decision, err := asked.Decide(t.Context(), call)
		if one.Expect.Error {
			assertError(t, err, one.Expect.Status)
			assert.Equal(t, gavel.Deny, decision.Effect)
			return
		}
		require.NoError(t, err)
		assert.Equal(t, one.Expect.Decision, decision.Effect.String())
		return
	}
	permit, err := asked.Authorize(t.Context(), call)
	var refused *client.Refused
	switch {
	case one.Expect.Error:
		assertError(t, err, one.Expect.Status)
		assert.Nil(t, permit)
	case one.Expect.Refused != "":
		require.ErrorAs(t, err, &refused)
		assert.Nil(t, permit)
		assert.Equal(t, one.Expect.Refused, refused.Decision.Effect.String())
		assert.Equal(t, one.Expect.Comment, refused.Comment)
		assert.Contains(t, fmt.Sprint(refused.Decision.Reasons), one.Expect.Code)
	default:
		require.NoError(t, err)
		run(t, permit, dir, one.Expect)
	}
}

func configOf(servers *clientcases.Servers, index int, one clientcases.Case) client.Config {
	config := client.Config{Timeout: time.Minute}
	if one.TimeoutMs > 0 {
		config.Timeout = time.Duration(one.TimeoutMs) * time.Millisecond
	}
	switch one.Via {
	case "url":
		config.URL = servers.URL
	case "socket":
		config.Socket = servers.Socket
	case "scripted":
		config.URL = fmt.Sprint(servers.Scripted, index)
	case "nowhere":
		config.URL = "http://127.0.0.1:1"
	case "nosocket":
		config.Socket = filepath.Join(servers.Tokens, "none.sock")
	}
	switch one.Token {
	case "none":
	case "":
		config.TokenFile = filepath.Join(servers.Tokens, "gateway.token")
	default:
		config.TokenFile = filepath.Join(servers.Tokens, one.Token+".token")
	}
	return config
}

func assertError(t *testing.T, err error, status int) {
	t.Helper()
	var failed *client.Error
	require.ErrorAs(t, err, &failed)
	var refused *client.Refused
	assert.False(t, errors.As(err, &refused), "no decision is not a refusal")
	if status != 0 {
		assert.Equal(t, status, failed.Status)
		assert.NotEmpty(t, failed.Code)
	}
}

func run(t *testing.T, permit *client.Permit, dir string, expect clientcases.Expect) {
	t.Helper()
	where := client.Where{Host: "gateway", Shells: map[string]string{"bash": "/bin/bash"},
		Environ: []string{"PATH=/usr/bin:/bin", "BASH_ENV=" + filepath.Join(dir, "first"), "BASH_FUNC_touch%%=() { :; }"}}
	cmd, err := permit.Command(t.Context(), where)
	if expect.NoCommand {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	assert.Equal(t, expect.Words, cmd.Args)
	for name, value := range expect.Env {
		assert.Contains(t, cmd.Env, name+"="+value)
	}
	assert.NotContains(t, strings.Join(cmd.Env, "\n"), "BASH_")
	assert.Equal(t, dir, cmd.Dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	if expect.File != "" {
		assert.FileExists(t, filepath.Join(dir, expect.File))
	}
}
