package bundles_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
	"gavel/internal/cases"
)

func TestASecretMayBeAVariableAFileOrACommand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]gavel.SecretReference{
		`"${VERIFIER_SECRET}"`:                {Variable: "${VERIFIER_SECRET}"},
		`{file: /etc/gavel/secret}`:           {File: "/etc/gavel/secret"},
		`{command: [/usr/bin/pass, show, x]}`: {Command: []string{"/usr/bin/pass", "show", "x"}},
	} {
		snapshot := load(t, policyDir(t, "config.yaml", fmt.Sprintf(`
tools:
  verifier:
    webhook: {url: "https://v.example", secret: %[1]s, previousSecret: %[1]s, responseSecret: %[1]s}
    telegram: {botToken: %[1]s, chatId: 42}
agents: {main: {}}
`, text)))
		settings, err := snapshot.VerifierSettings(t.Context())
		require.NoError(t, err)
		webhook := settings.Webhooks["tools.verifier.webhook"]
		assert.Equal(t, []gavel.SecretReference{want, want, want}, []gavel.SecretReference{webhook.Secret, webhook.PreviousSecret, webhook.ResponseSecret}, text)
		assert.Equal(t, want, settings.Telegrams["tools.verifier.telegram"].BotToken, text)
	}
}

func TestAnInvalidVerifierSettingIsAProblemAtItsKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"enabled: %s", "scope: %s", "scope: {include: %s}", "failMode: %s", "timeout: %s", "redact: %s", "remember: %s", "agentOverrides: %s", "maxWaiting: %s",
		"webhook: %s", "webhook: {url: %s}", "webhook: {url: 'https://v', headers: %s}", "webhook: {url: 'https://v', secret: %s}", "webhook: {url: 'https://v', allowHttp: %s}",
		"webhook: {url: 'https://v', allowAddresses: %s}", "webhook: {url: 'https://v', tls: %s}", "webhook: {url: 'https://v', tls: {ca: %s}}", "telegram: %s", "telegram: {botToken: %s}",
		"telegram: {chatId: %s}", "telegram: {allowedUserIds: %s}", "telegram: {apiBase: %s}"} {
		for _, nonsense := range cases.Some([]string{"null", "' '", "-1.5", "[[]]", "{x: {}}"}, 2) {
			setting := fmt.Sprintf(key, nonsense)
			_, err := bundles.Load(t.Context(), shipped(policyDir(t, "config.yaml", fmt.Sprintf("tools: {verifier: {%s}}\nagents: {main: {}}", setting))))
			require.Error(t, err, setting)
			for _, problem := range bundles.Problems(err) {
				assert.NotContains(t, problem.Message, "eval_", setting)
				assert.Contains(t, problem.Path, "verifier", setting)
			}
		}
	}
}
