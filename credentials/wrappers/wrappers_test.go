package wrappers_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/credentials/source"
	"gavel/credentials/wrappers"
)

const whole = `
proxy:
  timeout: 90s
  inline_threshold: 64k
  hmac_secret_file: /run/openclaw/auth
  max_connections: 8
  read_header_timeout: 1s
  read_message_timeout: 2s
  max_stdin_message_size: 2 MB
  write_timeout: 5s
  max_output_size: 10485760
  max_connection_lifetime: 1h
  replay_cache_ttl: 1s
  replay_cache_max_entries: 100
  credential_cache_ttl: 5m
  pass_binary: /usr/bin/pass
  vault_addr: https://vault.example
security:
  deny_unverified_caller_exe: true
credentials:
  github-token: {source: "pass:github/token"}
  mail: {source: "file:/etc/secrets/mail | .token"}
tools:
  gh:
    binary: /bin/true
    timeout: 1m
    env:
      GH_TOKEN: github-token
      GH_HEADER: "Bearer {{ github-token }} and {{mail}}."
      GH_PROMPT_DISABLED: 1
    forced_env: {GH_NO_UPDATE_NOTIFIER: "1"}
    mode: allowlist
    blocked_args: [{pattern: --admin, message: no admin}]
    allowed_args:
      - {pattern: '^pr\s+view', match: command}
      - {match: argv, argv: [call, '(?s)\{.*\}']}
    redact_output: [{pattern: 'tok_[a-z]+'}, {pattern: x, replace: y}]
    config_file:
      xdg_subdir: gh/nested
      filename: hosts.yml
      template: |
        oauth_token: {{ .github_token }}
        mail: {{ .mail }}
      credentials: [github-token, mail]
    request_env: [TERM]
    working_dir: /tmp
    use_pty: false
  plain:
    binary: /bin/true
audit: {enabled: true, stdout: true, include_args: false}
http_proxy: {enabled: false, listen: "127.0.0.1:8080"}
`

func TestAWholeConfigurationIsRead(t *testing.T) {
	c, err := wrappers.Parse("wrappers.yaml", []byte(whole))
	require.NoError(t, err)
	assert.Equal(t, 90*time.Second, c.Proxy.Timeout)
	assert.EqualValues(t, 65536, c.Proxy.InlineThreshold)
	assert.EqualValues(t, 2<<20, c.Proxy.MaxControl)
	assert.Equal(t, 10*time.Second, c.Proxy.ReplayTTL, "the floor")
	assert.False(t, c.Security.AllowUnverified)
	gh := c.Tools["gh"]
	assert.Equal(t, []wrappers.Variable{
		{Name: "GH_HEADER", Parts: []wrappers.Part{{Text: "Bearer "}, {Credential: "github-token"}, {Text: " and "}, {Credential: "mail"}, {Text: "."}}},
		{Name: "GH_PROMPT_DISABLED", Parts: []wrappers.Part{{Text: "1"}}},
		{Name: "GH_TOKEN", Parts: []wrappers.Part{{Credential: "github-token"}}},
	}, gh.Env)
	assert.Equal(t, []string{"github-token", "mail"}, gh.Uses())
	assert.Equal(t, []wrappers.Rule{{Pattern: `^pr\s+view`, Match: "command"}, {Match: "argv", Argv: []string{"call", `(?s)\{.*\}`}}}, gh.Allowed)
	assert.True(t, gh.Allowlist)
	assert.True(t, gh.Stdin)
	assert.False(t, gh.PTY)
	assert.Equal(t, "[REDACTED]", gh.Redact[0].Replace)
	plain := c.Tools["plain"]
	assert.Equal(t, 90*time.Second, plain.Timeout, "that of all tools")
	assert.True(t, plain.PTY)
	assert.Nil(t, plain.RequestEnv)
	assert.Equal(t, source.Pass, c.Credentials["github-token"].Kind)
	assert.True(t, c.Audit.Stdout)
	assert.False(t, c.Audit.IncludeArgs)
	assert.True(t, c.Audit.IncludeHash)
}

func TestTheDefaultsAreStrict(t *testing.T) {
	c, err := wrappers.Parse("w", []byte("tools: {t: {binary: /bin/true}}"))
	require.NoError(t, err)
	assert.False(t, c.Security.AllowUnverified)
	assert.Equal(t, 64, c.Proxy.MaxConnections)
	assert.Equal(t, 5*time.Minute, c.Proxy.Timeout)
	assert.Equal(t, 2*time.Minute, c.Proxy.ReplayTTL)
	c, err = wrappers.Parse("w", []byte("security: {deny_unverified_caller_exe: false}\ntools: {t: {binary: /bin/true}}"))
	require.NoError(t, err)
	assert.True(t, c.Security.AllowUnverified)
}

func TestEveryMistakeIsNamed(t *testing.T) {
	_, err := wrappers.Parse("w", []byte("proxy: {a: 1, timeout: x}\ntools:\n  t: {binary: x, mode: y}\n"))
	var invalid *gavel.PolicyError
	require.ErrorAs(t, err, &invalid)
	lines := []int{}
	for _, p := range invalid.Problems {
		lines = append(lines, p.Line)
	}
	assert.Equal(t, []int{1, 1, 3, 3}, lines)
}

func TestAFileThatOthersCanChangeIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wrappers.yaml")
	require.NoError(t, os.WriteFile(path, []byte("tools: {t: {binary: /bin/true}}"), 0o644))
	_, err := wrappers.Load(path, every())
	require.NoError(t, err)
	require.NoError(t, os.Chmod(path, 0o664))
	_, err = wrappers.Load(path, every())
	require.ErrorContains(t, err, "can be changed by others")
	_, err = wrappers.Load(path+"-nonexistent", every())
	require.Error(t, err)
	require.NoError(t, os.Chmod(path, 0o644))
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o777))
	_, err = wrappers.Load(path, every())
	require.ErrorContains(t, err, filepath.Dir(path)+": others can replace its contents", "anybody may put another file there")
}

func TestAProgramThatOthersCanReplaceIsWarnedAbout(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tool")
	require.NoError(t, os.WriteFile(path, nil, 0o755))
	warnings := func() (list []string) {
		c, err := wrappers.Parse("w", []byte("tools: {t: {binary: "+path+"}}"))
		require.NoError(t, err)
		for _, w := range c.Warnings {
			list = append(list, w.Message)
		}
		return list
	}
	assert.Empty(t, warnings())
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o777))
	require.Len(t, warnings(), 1)
	assert.Contains(t, warnings()[0], filepath.Dir(path))
}

func TestAShellAsAToolIsWarnedAbout(t *testing.T) {
	c, err := wrappers.Parse("w", []byte("tools: {t: {binary: /bin/sh}, u: {binary: /nonexistent/tool}}"))
	require.NoError(t, err)
	require.Len(t, c.Warnings, 2)
	assert.Contains(t, c.Warnings[0].Message, "runs whatever it is told")
	assert.Contains(t, c.Warnings[1].Message, "not there")
}

func configFile(filename, template string) *wrappers.ConfigFile {
	return &wrappers.ConfigFile{Subdir: "x", Filename: filename, Template: template, Credentials: []string{"a-b", "c"}}
}

func TestW18ACredentialInAConfigurationFileStaysOneValue(t *testing.T) {
	hostile := []string{"plain", "it's", `say "hi"`, `back\slash`, "line\nadmin: true", "{{ .c }}", "x: y # z", "\u0085\u2028\x7f", "<&>", "tab\there", " spaces "}
	for _, value := range hostile {
		for _, filename := range []string{"hosts.yml", "config", "config.json"} {
			text, err := configFile(filename, `{"first": {{ .a_b }}, "second": {{ .a-b }}, "third": {{ .c }}}`).Render(map[string]string{"a-b": value, "c": "C"})
			require.NoError(t, err)
			var read map[string]string
			if filename == "config.json" {
				require.NoError(t, json.Unmarshal([]byte(text), &read), text)
			} else {
				require.NoError(t, yaml.Unmarshal([]byte(text), &read), text)
			}
			valid := strings.ToValidUTF8(value, "\uFFFD")
			if filename == "config.json" || valid == value {
				assert.Equal(t, map[string]string{"first": valid, "second": valid, "third": "C"}, read)
			}
		}
	}
	for value, ok := range map[string]bool{"ghp_123": true, "a=b": true, "it's": false, "a\n[b]": false, "a;b": false, " padded": false} {
		text, err := configFile("credentials.ini", "token = {{ .c }}\n").Render(map[string]string{"c": value})
		assert.Equal(t, ok, err == nil, "%q", value)
		if ok {
			assert.Equal(t, "token = "+value+"\n", text)
		} else {
			assert.NotContains(t, fmt.Sprint(err), value)
		}
	}
	_, err := configFile("f", "{{ .c }}").Render(nil)
	require.ErrorContains(t, err, "no value")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("tools: {t: {binary: /bin/true, env: {A: '{{ x }}'}}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := wrappers.Parse("w", text)
		if err != nil {
			var invalid *gavel.PolicyError
			require.ErrorAs(t, err, &invalid)
			require.NotEmpty(t, invalid.Problems)
			return
		}
		require.NotEmpty(t, c.Tools)
		for _, tool := range c.Tools {
			require.True(t, filepath.IsAbs(tool.Binary))
			require.Positive(t, tool.Timeout)
		}
	})
}
