package wrappers_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/wrappers"
)

// ineffective are settings without an effect, and what the only warning begins with.
func ineffective() map[string]string {
	const withToken = "credentials: {token: {source: 'file:/etc/token'}}\ntools:\n  t:\n    binary: /bin/true\n    env: {TOKEN: token}\n"
	const withFile = "credentials: {token: {source: 'file:/etc/token'}}\ntools:\n  t:\n    binary: /bin/true\n    config_file: {xdg_subdir: t, filename: t.yml, template: 'x: {{ .token }}', credentials: [token]}\n"
	return map[string]string{
		withToken + "    request_env:\n      - NO_COLOR\n      - LD_PRELOAD\n":                 "w:8:9: tools.t.request_env[1]: LD_PRELOAD has no effect here: it makes programs run",
		withToken + "    request_env: [TOKEN]\n":                                               "w:6:19: tools.t.request_env[0]: TOKEN has no effect here: the value in env holds",
		withToken + "    forced_env: {A: x}\n    request_env: [A]\n":                           "w:7:19: tools.t.request_env[0]: A has no effect here: the value in forced_env holds",
		withToken + "    request_env: [A, B, A]\n":                                             "w:6:25: tools.t.request_env[2]: A is in the list twice",
		withToken + "    timeout: 5m\nproxy: {max_connection_lifetime: 1m}\n":                  "w:6:5: tools.t.timeout: it has no effect: a connection ends after 1m0s",
		withToken + "proxy: {pass_binary: /usr/bin/pass}\n":                                    "w:6:9: proxy.pass_binary: it has no effect: no credential has a source of the kind pass",
		withToken + "proxy: {vault_addr: 'https://vault'}\n":                                   "w:6:9: proxy.vault_addr: it has no effect: no credential has a source of the kind vault",
		withToken + "proxy: {replay_cache_ttl: 5s}\n":                                          "w:6:9: proxy.replay_cache_ttl: it counts as 10s, the least",
		withToken + "audit: {file: /var/log/uses}\n":                                           "w:6:9: audit.file: it has no effect, because audit is not enabled",
		withFile + "    env: {XDG_CONFIG_HOME: /x}\n":                                          "w:6:11: tools.t.env.XDG_CONFIG_HOME: it has no effect: config_file sets",
		withFile + "    forced_env: {XDG_CONFIG_HOME: /x}\n":                                   "w:6:18: tools.t.forced_env.XDG_CONFIG_HOME: it has no effect: config_file sets",
		"credentials: {token: {source: 'file:/etc/token'}}\ntools: {t: {binary: /bin/true}}\n": "w:1:15: credentials.token: no tool is given this credential",
		"credentials: {token: {source: 'file:/t'}, other: {source: 'file:/o'}}\ntools: {t: {binary: /bin/true, config_file: {xdg_subdir: t, filename: t.yml, template: '{{ .token }}', credentials: [token, other]}}}\n": "w:2:117: tools.t.config_file.credentials[1]: the template does not use the credential \"other\"",
	}
}

func warningsOf(t *testing.T, text string) (list []string) {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("w", []byte(text), 0o600))
	denied := func(name string) bool { return name == "LD_PRELOAD" }
	config, err := wrappers.Load("w", wrappers.Catalog{Known: every().Known, Denied: denied})
	require.NoError(t, err)
	for _, w := range config.Warnings {
		assert.NotEmpty(t, w.Fix)
		list = append(list, w.String())
	}
	return list
}

func TestASettingWithoutEffectIsWarnedAboutWithItsLine(t *testing.T) {
	for text, want := range ineffective() {
		list := warningsOf(t, text)
		require.Len(t, list, 1, text)
		assert.Contains(t, list[0], want)
	}
}

func TestSettingsWithAnEffectAreNotWarnedAbout(t *testing.T) {
	assert.Empty(t, warningsOf(t, `credentials: {token: {source: 'vault:a#b'}, file: {source: 'age:/etc/x'}}
proxy: {vault_addr: 'https://vault', vault_binary: /bin/vault, age_identity_file: /etc/identity, replay_cache_ttl: 10s, max_connection_lifetime: 10m}
audit: {enabled: true, file: /var/log/uses, include_args: false}
tools:
  t:
    binary: /bin/true
    timeout: 5m
    env: {TOKEN: "x {{ token }}"}
    forced_env: {A: x}
    request_env: [TERM, GH_REPO]
    config_file: {xdg_subdir: t, filename: t.yml, template: '{{ .file }}', credentials: [file]}
`))
}

func TestThereAreAtMostAsManyWarningsAsMistakes(t *testing.T) {
	var names []byte
	for range 1000 {
		names = append(names, "LD_PRELOAD, "...)
	}
	assert.LessOrEqual(t, len(warningsOf(t, "tools: {t: {binary: /bin/true, request_env: ["+string(names)+"A]}}\n")), 200)
}
