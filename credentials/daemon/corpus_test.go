//go:build linux

package daemon_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/cases"
	"gavel/credentials/wire"
	"gavel/credentials/wrappers"
)

// output is what a tool wrote to standard output, and the last message.
func (s *served) output(t *testing.T, line []byte) (string, wire.Message) {
	t.Helper()
	list := frames(t, strings.NewReader(s.say(t, line)))
	require.NotEmpty(t, list)
	out := ""
	for _, m := range list {
		if m.Type == wire.TypeStdout {
			out += string(m.Data)
		}
	}
	return out, list[len(list)-1]
}

// setting is a value as a line of YAML, which reads JSON.
func setting(t *testing.T, key string, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return key + ": " + string(text)
}

func TestTheCasesOfTheReferenceAboutEnvironments(t *testing.T) {
	for _, c := range cases.Read(t, "..", "env.build", "derived.env") {
		t.Run(c.Name, func(t *testing.T) {
			given := cases.Get[map[string]string](t, c.Input, "request_env")
			extra := ""
			if c.Input.Has("forced_env") {
				extra = setting(t, "forced_env", cases.Get[map[string]string](t, c.Input, "forced_env"))
			}
			if c.Input.Has("use_proxy") { // there is no HTTP proxy: the setting is an error, and not passed over
				_, err := wrappers.Parse("w", []byte("tools: {t: {binary: /bin/true, use_proxy: true}}"))
				require.ErrorContains(t, err, "use_proxy")
				return
			}
			s := start(t, configured(t, "", map[string]string{"env": "env"}, extra), nil)
			out, last := s.output(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool, r.Env = "env", given }))
			if c.Input.Has("request_env") && !c.Expect.Has("present") {
				assert.Equal(t, "invalid request", last.Message, "a name that is none")
				return
			}
			for name, value := range cases.Get[map[string]string](t, c.Expect, "present") {
				assert.Contains(t, out, name+"="+value+"\n")
			}
		})
	}
}

func TestTheCasesOfTheReferenceAboutRuns(t *testing.T) {
	for _, c := range cases.Read(t, "..", "exec.options", "exec.secrets", "derived.exec", "derived.conn") {
		t.Run(c.Name, func(t *testing.T) {
			switch c.Name {
			case "TestExecutor_WorkingDirOverridesRequestCwd":
				dir := t.TempDir()
				s := start(t, configured(t, "audit: {enabled: true, stdout: true}", map[string]string{"pwd": "pwd"}, setting(t, "working_dir", dir)), nil)
				out, _ := s.output(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool, r.Cwd = "pwd", cases.Get[string](t, c.Input, "request_cwd") }))
				assert.Equal(t, dir+"\n", out)
				s.stop()
				assert.Contains(t, s.audit.String(), `"cwd":"`+dir+`"`)
			case "TestExecutor_PromptingToolHitsTimeout":
				s := start(t, configured(t, "", map[string]string{"ask": "read answer"}, "timeout: "+cases.Get[string](t, c.Input, "tool_timeout")), nil)
				conn := s.dial(t)
				began := time.Now()
				_, err := conn.Write(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "ask" }))
				require.NoError(t, err)
				list := frames(t, conn)
				assert.Equal(t, cases.Get[bool](t, c.Expect, "timeout"), list[len(list)-1].Timeout)
				assert.Less(t, time.Since(began), cases.Get[time.Duration](t, c.Expect, "elapsed_lt_s")*time.Second)
			case "TestExecutor_RequestEnvAllowlist/blocked":
				given := cases.Get[map[string]string](t, c.Input, "request_env")
				s := start(t, configured(t, "", map[string]string{"env": "env"}, setting(t, "request_env", cases.Get[[]string](t, c.Input, "request_env_rule"))), nil)
				out, _ := s.output(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool, r.Env = "env", given }))
				for name, value := range given {
					passed := slices.Contains(cases.Get[[]string](t, c.Expect, "passed_through"), name)
					assert.Equal(t, passed, strings.Contains(out, name+"="+value+"\n"), name)
				}
			case "TestExecutor_CredentialEnvIsRedactedAndNotAudited":
				s := start(t, configured(t, "audit: {enabled: true, stdout: true}", map[string]string{"print": `printf %s "$TOKEN"`}, ""), nil)
				out, _ := s.output(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "print" }))
				assert.Equal(t, cases.Get[string](t, c.Expect, "stdout"), out)
				s.stop()
				assert.NotEmpty(t, s.audit.String())
				assert.Equal(t, cases.Get[bool](t, c.Expect, "audit_contains_secret"), strings.Contains(s.audit.String(), credential))
			case "timeout grace period":
				list := timed(t, "trap 'exit 7' TERM; echo >ready; while :; do sleep 0.1; done")
				require.Contains(t, cases.Get[string](t, c.Expect, "with custom cancel"), "child exits "+strconv.Itoa(list[len(list)-1].ExitCode))
			case "overall lifetime deadline":
				s := start(t, configured(t, "proxy: {max_connection_lifetime: "+cases.Get[string](t, c.Input, "set_deadline")+"}", map[string]string{"long": "sleep 100"}, ""), nil)
				conn := s.dial(t)
				_, err := conn.Write(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "long" }))
				require.NoError(t, err)
				require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
				var all bytes.Buffer
				_, err = all.ReadFrom(conn)
				require.NoError(t, err, "the connection ends")
			case "TestOutputRedactor_SecretAcrossChunkBoundary", "TestOutputRedactor_IgnoresShortSecrets": // in credentials/redact
			default:
				t.Fatal("nothing runs this case")
			}
		})
	}
}

func TestTheCasesOfTheReferenceAboutChildren(t *testing.T) {
	for i, c := range cases.Read(t, "..", "exec.lifecycle") {
		t.Run(c.Name, func(t *testing.T) {
			mark := "child-" + strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(i)
			setsid := map[string]string{"setsid": "setsid ", "same-pgrp": ""}[cases.Get[string](t, c.Input, "child_session")]
			require.Equal(t, "devnull", cases.Get[string](t, c.Input, "child_stdio"))
			s := start(t, configured(t, "", map[string]string{"spawn": setsid + `sh -c 'echo >began; while :; do sleep 1; done' ` + mark + ` </dev/null >/dev/null 2>&1 & until [ -e began ]; do sleep 0.01; done; printf "daemon started"`}, ""), nil)
			began := time.Now()
			out, last := s.output(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "spawn" }))
			assert.Less(t, time.Since(began), 10*cases.Get[time.Duration](t, c.Expect, "elapsed_lt_s")*time.Second, "a busy machine")
			assert.Equal(t, cases.Get[string](t, c.Expect, "stdout"), out)
			assert.Equal(t, cases.Get[int](t, c.Expect, "exit"), last.ExitCode)
			alive := cases.Get[bool](t, c.Expect, "child_alive_after")
			require.Eventually(t, func() bool { return alive == (len(marked(t, mark)) > 0) }, time.Minute, 10*time.Millisecond)
			for _, pid := range marked(t, mark) {
				process, err := os.FindProcess(pid)
				require.NoError(t, err)
				_ = process.Kill()
			}
		})
	}
}
