package secrets

import (
	"regexp"
	"slices"
)

// table is what is known of secrets.
type table struct {
	// strong are words that make a name the name of a secret (GITHUB_TOKEN, db-password);
	// within are those that do so inside a longer word (mypassword).
	strong, within []string
	// last are words that do so as the last one only (DB_PASS, not PASS_THROUGH).
	last []string
	// keys are the words before "key" that make it a secret: API_KEY, but not SORT_KEY.
	keys []string
	// weak are words that do so when the value looks like a secret, too: ?sig=…
	weak []string
	// harmless are last words that say that the value is something else: a file, a kind.
	harmless []string
	// switches are first words of options without a value: --no-password.
	switches []string
	// plainNames are names of something else.
	plainNames []string

	// prose are words that begin like the name of a secret and are none.
	prose []string

	// assigning are words after which NAME=value is one word, whatever is in it.
	assigning []string

	// headers are HTTP headers whose value is a secret as a whole.
	headers []string
	// openHeaders are those whose value is none, for a list of headers.
	openHeaders []string
	// schemes are the words before the credential in Authorization.
	schemes []string

	programs []program
	shapes   []shape

	// userOnly are the URL schemes in which a name without a password is a token.
	userOnly []string
}

// program is a program with options whose names do not say that they hold a secret.
type program struct {
	names []string
	needs string // a sub-command without which they do not; "" for none
	takes string // other short options with a value, which may be in the same word
	exact bool   // options stand alone: -newkey is not -n -e -w -k ey
	short []option
}

// option is a short option with a value, attached or as the next word.
type option struct {
	name  string
	value value
}

// value is what an option's value is.
type value int

const (
	nothing    value = iota
	whole            // all of it is a secret
	attached         // the same, but only in the same word: mysql -pSECRET
	userPass         // what is behind the first colon, comma or percent sign
	header           // a header
	cookie           // cookies, or the name of a file
	passPhrase       // openssl's pass:SECRET
)

// shape is what a credential looks like by itself.
type shape struct {
	begins string // some letters that every one has, lower case
	like   *regexp.Regexp
}

func newTable() table {
	pass := []option{{"p", whole}}
	mysql := []option{{"p", attached}}
	ldap := []option{{"w", whole}}
	http := []option{{"u", userPass}, {"U", userPass}, {"H", header}, {"b", cookie}, {"E", userPass}}
	return table{
		strong: []string{"password", "passwd", "passphrase", "passcode", "secret", "secrets", "token", "bearer", "authorization", "credential", "credentials",
			"cookie", "cookies", "jwt", "apikey", "otp", "totp", "pgpassword", "privkey", "dsn", "signature"},
		within: []string{"password", "passwd", "passphrase", "apikey", "accesskey", "secretkey", "privatekey", "authtoken", "accesstoken", "clientsecret", "sharedaccesskey"},
		last:   []string{"pass", "pwd", "pat", "auth"},
		keys: []string{"api", "secret", "access", "private", "encryption", "signing", "auth", "master", "account", "license", "subscription", "deploy",
			"service", "client", "app", "application", "storage", "shared", "consumer", "webhook", "stripe", "openai", "anthropic", "admin", "root", "user",
			"integration", "project", "rsa", "ssh", "gpg", "aes", "hmac", "jwt", "crypto", "functions", "instrumentation", "sas", "maps", "google", "github"},
		weak: []string{"key", "sig", "code", "auth", "session", "sid", "sessionid", "tokens", "pin", "nonce", "pat", "sas", "hash"},
		harmless: []string{"file", "files", "path", "dir", "directory", "stdin", "env", "name", "names", "type", "types", "ttl", "length", "len", "count", "limit", "id", "ids", "size",
			"helper", "command", "cmd", "prompt", "age", "expiry", "expires", "expiration", "lifetime", "policy", "policies", "mode", "format", "version", "scope", "scopes",
			"enabled", "required", "algorithm", "alg", "jar", "provider", "endpoint", "url", "uri", "server", "host", "class", "attempts", "interval", "timeout", "sock", "fd", "ref",
			"key-id", "manager", "store", "field", "header", "method", "column", "hint", "rotation", "kind", "min", "max", "index", "position", "budget", "usage", "window"},
		switches:   []string{"no", "show", "skip", "print", "list", "disable", "use", "without", "ask", "require", "max", "min", "num", "with", "create", "delete", "get", "describe", "rotate", "revoke"},
		plainNames: []string{"pwd", "oldpwd", "pass", "auth", "cookie-jar", "samesite"},
		prose:      []string{"passes", "passed"},
		assigning:  []string{"env", "/usr/bin/env", "/bin/env", "export", "declare", "typeset", "local", "readonly", "-e", "--env", "--build-arg", "--set", "--set-string"},
		headers: []string{"authorization", "proxy-authorization", "cookie", "set-cookie", "cookie2", "set-cookie2", "x-api-key", "api-key", "apikey", "x-auth-token", "x-access-token",
			"x-csrf-token", "x-xsrf-token", "private-token", "job-token", "deploy-token", "x-vault-token", "x-amz-security-token", "x-goog-api-key", "ocp-apim-subscription-key",
			"x-auth-key", "x-auth-email-key", "x-functions-key", "x-token", "x-secret", "x-signature", "x-hub-signature", "x-hub-signature-256", "x-shopify-access-token", "x-figma-token",
			"x-github-token", "x-gitlab-token", "x-webhook-secret", "x-client-secret", "x-session-token", "x-goog-iam-authorization-token", "dd-api-key", "dd-application-key", "x-rapidapi-key"},
		openHeaders: []string{"accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection", "content-encoding", "content-language", "content-length",
			"content-type", "date", "dnt", "etag", "expect", "from", "host", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "origin", "pragma",
			"range", "referer", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "via", "warning"},
		schemes: []string{"bearer", "basic", "token", "apikey", "bot", "digest", "negotiate", "ntlm", "hawk", "aws4-hmac-sha256", "key", "sso-key", "gitlab-ci-token", "oauth"},
		programs: []program{
			{names: []string{"curl", "curlie", "xh", "xhs", "wget"}, takes: "ACDFKPQTXYcdehmoqrtwxyz", short: http},
			{names: []string{"http", "https"}, short: []option{{"a", userPass}}},
			{names: []string{"mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlcheck", "mysqlshow", "mariadb", "mariadb-dump", "mariadb-admin", "mycli", "xtrabackup"}, takes: "uhPDSeT", short: mysql},
			{names: []string{"sshpass"}, takes: "fdP", short: pass},
			{names: []string{"mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"}, takes: "uhdcofq", short: pass},
			{names: []string{"docker", "podman", "buildah", "skopeo", "helm", "oc", "az", "nerdctl", "crane", "oras", "cf", "argocd", "doctl"}, needs: "login", takes: "u", short: pass},
			{names: []string{"redis-cli", "valkey-cli"}, takes: "hpnurisdDX", short: []option{{"a", whole}}},
			{names: []string{"ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd"}, takes: "DHhbpsfaYUX", short: ldap},
			{names: []string{"smbclient", "rpcclient", "net", "winexe"}, takes: "ILWcsp", short: []option{{"U", userPass}}},
			{names: []string{"sqlcmd", "bcp", "isql", "tsql"}, takes: "USdiohHQqpt", short: []option{{"P", whole}}},
			{names: []string{"ipmitool", "impacket-psexec"}, takes: "HUIpLo", short: []option{{"P", whole}}},
			{names: []string{"zip", "unzip"}, short: []option{{"P", whole}}},
			{names: []string{"7z", "7za", "7zr", "rar", "unrar"}, short: mysql},
			{names: []string{"lftp", "ncftp", "ncftpget", "ncftpput"}, takes: "ecP", short: []option{{"u", userPass}, {"p", whole}}},
			{names: []string{"openssl"}, exact: true, short: []option{{"passin", passPhrase}, {"passout", passPhrase}, {"pass", passPhrase}, {"k", whole}, {"K", whole}}},
			{names: []string{"mosquitto_pub", "mosquitto_sub"}, takes: "htupmiqfkVLFR", short: []option{{"P", whole}}},
			{names: []string{"snmpwalk", "snmpget", "snmpset"}, takes: "vulxoOItr", short: []option{{"c", whole}, {"A", whole}, {"X", whole}}},
			{names: []string{"kinit", "cadaver", "psexec"}, short: pass},
		},
		shapes:   shapes(),
		userOnly: []string{"http", "https", "git+http", "git+https"},
	}
}

func shapes() []shape {
	of := func(begins, like string) shape { return shape{begins, regexp.MustCompile(like)} }
	return []shape{
		of("eyj", `\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,3}`),
		of("akia", `\bAKIA[0-9A-Z]{16}\b`),
		of("asia", `\bASIA[0-9A-Z]{16}\b`),
		of("ghp_", `\bghp_[A-Za-z0-9]{16,}`),
		of("gho_", `\bgho_[A-Za-z0-9]{16,}`),
		of("ghu_", `\bghu_[A-Za-z0-9]{16,}`),
		of("ghs_", `\bghs_[A-Za-z0-9]{16,}`),
		of("ghr_", `\bghr_[A-Za-z0-9]{16,}`),
		of("github_pat_", `\bgithub_pat_[A-Za-z0-9_]{20,}`),
		of("glpat-", `\bglpat-[A-Za-z0-9_-]{16,}`),
		of("xox", `\bxox[a-z]-[A-Za-z0-9-]{10,}`),
		of("xapp-", `\bxapp-[A-Za-z0-9-]{10,}`),
		of("hooks.slack.com", `\bhooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]+`),
		of("discord", `\bdiscord(?:app)?\.com/api/webhooks/[0-9]+/[A-Za-z0-9_-]+`),
		of("aiza", `\bAIza[0-9A-Za-z_-]{30,}`),
		of("ya29.", `\bya29\.[0-9A-Za-z_-]{20,}`),
		of("sk_", `\bsk_(?:live|test)_[0-9A-Za-z]{10,}`),
		of("rk_", `\brk_(?:live|test)_[0-9A-Za-z]{10,}`),
		of("whsec_", `\bwhsec_[0-9A-Za-z]{16,}`),
		of("sk-", `\bsk-[A-Za-z0-9_-]*[A-Za-z0-9]{16,}[A-Za-z0-9_-]*`),
		of("npm_", `\bnpm_[A-Za-z0-9]{30,}`),
		of("pypi-", `\bpypi-[A-Za-z0-9_-]{30,}`),
		of("hf_", `\bhf_[A-Za-z0-9]{20,}`),
		of("sg.", `\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`),
		of("dop_v1_", `\bdop_v1_[a-f0-9]{40,}`),
		of("hvs.", `\bhvs\.[A-Za-z0-9_-]{20,}`),
		of("age-secret-key-", `\bAGE-SECRET-KEY-1[0-9A-Z]{30,}`),
		of("private key", `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)`),
	}
}

// triggers are texts, lower case, of which every secret that the table knows has one in it
// or beside it.
func (t *table) triggers() []string {
	list := slices.Concat(t.within, t.headers, t.strong)
	list = append(list, "pass", "pwd", "_pat", "-pat", "://", "key", "login")
	for _, word := range t.weak { // these need a value behind them
		list = append(list, word+"=", word+"\"", word+"'", word+"\\")
	}
	for _, program := range t.programs {
		if program.needs != "" {
			continue // login is one
		}
		for _, name := range program.names {
			list = append(list, name+" ", name+"\t", name+"\"", name+"'", name+"\\")
		}
	}
	for _, shape := range t.shapes {
		list = append(list, shape.begins)
	}
	return list
}
