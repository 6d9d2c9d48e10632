package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The review of commands found names of secrets that the tables missed; these are they,
// and others of their kind.
func TestNamesOfSecretFilesAreKnown(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	secret := strings.Fields(`.credentials.json application_default_credentials.json hosts.yml approve.token prod.tfvars prod.tfvars.json auth.json
		.config/gh/x .config/gcloud/access_tokens.db .azure/msal_token_cache.json .aws/sso/cache/x.json .docker/config.json .kube/config
		kubeconfig.yaml .npmrc .pypirc .netrc .pgpass .cargo/credentials.toml .terraform.d/credentials.tfrc.json .vault-token .gnupg/secring.gpg
		.ssh/config .bash_history .zsh_history .local/share/fish/fish_history .psql_history .mozilla/firefox/x/logins.json
		.config/google-chrome/Default/Cookies login.keychain-db .local/share/keyrings/login.keyring service-account-prod.json
		client_secret_1.json .git-credentials deploy.p8 prod.keytab .env.local x.env .envrc .config/rclone/rclone.conf .m2/settings-security.xml`)
	plain := strings.Fields(`src/auth.go auth.ts tokens.css token.rs design-tokens.json hosts go.mod README.md history.md credentials.py .env.example
		.gitignore config.json package.json tfvars.md id_rsa.pub cookies.ts settings.json docker-compose.yml`)
	for _, name := range append(secret, "x/Login Data") {
		assert.Equal(t, []string{"reads secret " + name}, hazards("cat '"+name+"'"), name)
	}
	for _, name := range plain {
		assert.Empty(t, hazards("cat '"+name+"'"), name)
	}
}
