package secrets_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/internal/secrets"
)

const redacted = secrets.Redacted

// fake puts together what looks like a credential, so that no scanner of this repository
// takes the test for a leak.
func fake(parts ...string) string { return strings.Join(parts, "") }

// checkHidden compares texts in which secrets are hidden.
func checkHidden(t *testing.T, cases map[string]struct{ text, want string }) {
	t.Helper()
	m := secrets.New()
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, found := m.Text(test.text)
			assert.Equal(t, test.want, got)
			assert.NotEmpty(t, found)
			again, _ := m.Text(got)
			assert.Equal(t, got, again, "what is hidden stays as it is")
		})
	}
}

func TestRT22SecretsInAddressesAndHeadersAreHidden(t *testing.T) {
	t.Parallel()
	checkHidden(t, map[string]struct{ text, want string }{
		"curl with a cookie":                {"curl -b sid=hunter2 https://x", "curl -b " + redacted + " https://x"},
		"a header":                          {"curl -H 'Authorization: Bearer hunter2' https://x", "curl -H 'Authorization: Bearer " + redacted + "' https://x"},
		"a header in double quotes":         {`curl -H "authorization: hunter2" https://x`, `curl -H "authorization: ` + redacted + `" https://x`},
		"a header attached":                 {"curl -H'X-Api-Key: hunter2' https://x", "curl -H'X-Api-Key: " + redacted + "' https://x"},
		"a header with =":                   {"curl --header='X-Auth-Token: hunter2' https://x", "curl --header='X-Auth-Token: " + redacted + "' https://x"},
		"a header without a space":          {"curl -H X-Api-Key:hunter2 https://x", "curl -H X-Api-Key:" + redacted + " https://x"},
		"a header that nobody has heard of": {"curl -H 'X-Acme-Secret: hunter2' https://x", "curl -H 'X-Acme-Secret: " + redacted + "' https://x"},
		"a cookie header":                   {"curl -H 'Cookie: a=hunter2; b=c' https://x", "curl -H 'Cookie: " + redacted + "' https://x"},
		"Basic":                             {"curl -H 'Authorization: Basic YTpi' https://x", "curl -H 'Authorization: Basic " + redacted + "' https://x"},
		"a header in prose":                 {"the header Authorization: Bearer hunter2 was sent", "the header Authorization: Bearer " + redacted + " was sent"},
		"a body in JSON":                    {`curl -d '{"user":"a","password":"hunter2"}' https://x`, `curl -d '{"user":"a","password":"` + redacted + `"}' https://x`},
		"a body in escaped JSON":            {`curl -d "{\"user\":\"a\",\"password\":\"hunter2\"}" https://x`, `curl -d "{\"user\":\"a\",\"password\":\"` + redacted + `\"}" https://x`},
		"a form":                            {"curl -d 'user=a&password=hunter2&b=c' https://x", "curl -d 'user=a&password=" + redacted + "&b=c' https://x"},
		"a URL with a password":             {"git clone https://alice:hunter2@host/x", "git clone https://alice:" + redacted + "@host/x"},
		"a URL with a token":                {"git clone https://hunter2@host/x", "git clone https://" + redacted + "@host/x"},
		"a URL without a user":              {"redis-cli -u redis://:hunter2@host", "redis-cli -u redis://:" + redacted + "@host"},
		"a query":                           {"curl 'https://x/?a=b&token=hunter2&c=d'", "curl 'https://x/?a=b&token=" + redacted + "&c=d'"},
		"a query without quotes":            {"curl https://x/?a=b&access_token=hunter2&c=d", "curl https://x/?a=b&access_token=" + redacted + "&c=d"},
		"an escaped name in a query":        {"curl 'https://x/?%74oken=hunter2'", "curl 'https://x/?%74oken=" + redacted + "'"},
		"a signed URL":                      {"curl 'https://x/?X-Amz-Signature=abc&e=1'", "curl 'https://x/?X-Amz-Signature=" + redacted + "&e=1'"},
		"a key of Google in a query":        {"curl 'https://x/?key=abcd1234efgh&e=1'", "curl 'https://x/?key=" + redacted + "&e=1'"},
		"a fragment":                        {"open https://x/#access_token=hunter2", "open https://x/#access_token=" + redacted},
		"a connection string":               {`x "Server=a;User Id=b;Password=hunter2;Encrypt=yes"`, `x "Server=a;User Id=b;Password=` + redacted + `;Encrypt=yes"`},
		"a cookie in prose":                 {"sent Cookie: a=hunter2; b=c and more", "sent Cookie: " + redacted + " and more"},
	})
}

func TestRT22SecretsInListsAndDocumentsAreHidden(t *testing.T) {
	t.Parallel()
	checkHidden(t, map[string]struct{ text, want string }{
		"text inside a shell's text": {`bash -c 'API_KEY=hunter2 ls'`, `bash -c 'API_KEY=` + redacted + ` ls'`},
		"two levels down":            {`bash -c "sh -c 'curl -u a:hunter2 x'"`, `bash -c "sh -c 'curl -u a:` + redacted + ` x'"`},
		"in a substitution":          {"echo $(API_KEY=hunter2 x)", "echo $(API_KEY=" + redacted + " x)"},
		"an apostrophe in prose":     {"it's API_KEY=hunter2 that failed", "it's API_KEY=" + redacted + " that failed"},
		"YAML":                       {"password: hunter2\nuser: a", "password: " + redacted + "\nuser: a"},
		"a line of a here-document":  {"cat <<E\nDB_PASSWORD=hunter2\nE", "cat <<E\nDB_PASSWORD=" + redacted + "\nE"},
		"a key of AWS":               {"x " + fake("AKIA", "IOSFODNN7EXAMPLE"), "x " + redacted},
		"a list in JSON":             {`{"credentials":["hunter2", "hunter3"],"a":["b"]}`, `{"credentials":["` + redacted + `", "` + redacted + `"],"a":["b"]}`},
		"a list of lists":            {`{"secrets": [["hunter2", 'hunter3', 42 ], "b"]}`, `{"secrets": [["` + redacted + `", '` + redacted + `', ` + redacted + ` ], "b"]}`},
		"a list in escaped JSON":     {`curl -d "{\"passwords\":[\"hunter2\"]}" https://x`, `curl -d "{\"passwords\":[\"` + redacted + `\"]}" https://x`},
		"a list without an end":      {`{"credentials":["hunter2`, `{"credentials":["` + redacted},
		"a list that is cut off":     {`{"credentials":["hunter2","`, `{"credentials":["` + redacted + `","`},
		"a list over lines":          {"{\"secrets\": [\n  \"hunter2\",\n  \"hunter3\"]}", "{\"secrets\": [\n  \"" + redacted + "\",\n  \"" + redacted + "\"]}"},
		"a word before a bracket":    {`{"password":hunter[2]}`, `{"password":` + redacted + `]}`},
	})
}

func TestRT22SecretsInArgumentsAndAssignmentsAreHidden(t *testing.T) {
	t.Parallel()
	checkHidden(t, map[string]struct{ text, want string }{
		"an assignment":                        {"API_KEY=hunter2 ls", "API_KEY=" + redacted + " ls"},
		"one in quotes":                        {`API_KEY="hunter two" ls`, `API_KEY="` + redacted + `" ls`},
		"one with a quoted part":               {`TOKEN='d e'f ls`, `TOKEN='` + redacted + ` ls`},
		"an exported one":                      {"export GITHUB_TOKEN=hunter2", "export GITHUB_TOKEN=" + redacted},
		"one behind env":                       {"env -i DB_PASSWORD=hunter2 ls", "env -i DB_PASSWORD=" + redacted + " ls"},
		"one that is appended to":              {"TOKEN+=hunter2", "TOKEN+=" + redacted},
		"a name of two words":                  {"PGPASSWORD=hunter2 psql", "PGPASSWORD=" + redacted + " psql"},
		"MYSQL_PWD":                            {"MYSQL_PWD=hunter2 mysql", "MYSQL_PWD=" + redacted + " mysql"},
		"AWS":                                  {"AWS_SECRET_ACCESS_KEY=abc/def+ghi aws s3 ls", "AWS_SECRET_ACCESS_KEY=" + redacted + " aws s3 ls"},
		"docker run -e":                        {"docker run -e TOKEN=hunter2 x", "docker run -e TOKEN=" + redacted + " x"},
		"--env=":                               {"docker run --env=API_TOKEN=hunter2 x", "docker run --env=API_TOKEN=" + redacted + " x"},
		"-D of Java":                           {"java -Ddb.password=hunter2 -jar x", "java -Ddb.password=" + redacted + " -jar x"},
		"after an operator":                    {"cd x&&SECRET=hunter2 ls", "cd x&&SECRET=" + redacted + " ls"},
		"an option with =":                     {"x --password=hunter2 y", "x --password=" + redacted + " y"},
		"an option and a word":                 {"x --token hunter2 y", "x --token " + redacted + " y"},
		"a message about a command":            {`x --token hunter2: program "x" was not found`, "x --token " + redacted + `: program "x" was not found`},
		"a sentence about one":                 {"x --token hunter2, which runs y", "x --token " + redacted + ", which runs y"},
		"an option with one dash":              {"x -password hunter2 y", "x -password " + redacted + " y"},
		"--api-key":                            {"x --api-key 'hunter 2' y", "x --api-key '" + redacted + "' y"},
		"--client-secret":                      {"x --client-secret=hunter2", "x --client-secret=" + redacted},
		"--oauth2-bearer":                      {"curl --oauth2-bearer hunter2 https://x", "curl --oauth2-bearer " + redacted + " https://x"},
		"--from-literal":                       {"kubectl create secret generic x --from-literal=password=hunter2", "kubectl create secret generic x --from-literal=password=" + redacted},
		"config set":                           {"aws configure set aws_secret_access_key hunter2", "aws configure set aws_secret_access_key " + redacted},
		"npm config set":                       {"npm config set //registry.npmjs.org/:_authToken hunter2", "npm config set //registry.npmjs.org/:_authToken " + redacted},
		"curl -u":                              {"curl -u alice:hunter2 https://x", "curl -u alice:" + redacted + " https://x"},
		"curl -u attached":                     {"curl -ualice:hunter2 https://x", "curl -ualice:" + redacted + " https://x"},
		"curl -u in a cluster":                 {"curl -sSfu alice:hunter2 https://x", "curl -sSfu alice:" + redacted + " https://x"},
		"curl --user":                          {"/usr/bin/curl --user alice:hunter2 https://x", "/usr/bin/curl --user alice:" + redacted + " https://x"},
		"curl --user=":                         {"curl --user=alice:hunter2 https://x", "curl --user=alice:" + redacted + " https://x"},
		"curl behind a wrapper":                {"timeout 5 curl -u alice:hunter2 https://x", "timeout 5 curl -u alice:" + redacted + " https://x"},
		"a password with @ and /":              {"psql postgres://alice:hun@ter/2@host/db", "psql postgres://alice:" + redacted + "@host/db"},
		"mysql -p":                             {"mysql -uroot -phunter2 db", "mysql -uroot -p" + redacted + " db"},
		"sshpass":                              {"sshpass -p hunter2 ssh a@b", "sshpass -p " + redacted + " ssh a@b"},
		"docker login":                         {"docker login -u a -p hunter2 reg", "docker login -u a -p " + redacted + " reg"},
		"redis-cli":                            {"redis-cli -a hunter2 ping", "redis-cli -a " + redacted + " ping"},
		"openssl -k":                           {"openssl enc -aes-256-cbc -k hunter2 -in x", "openssl enc -aes-256-cbc -k " + redacted + " -in x"},
		"openssl":                              {"openssl rsa -in k -passin pass:hunter2", "openssl rsa -in k -passin pass:" + redacted},
		"a JWT":                                {"x " + fake("eyJhbGciOiJI", "UzI1NiJ9.eyJzdWIi", "OiIxIn0.abc-_DEF") + " y", "x " + redacted + " y"},
		"a token of GitHub":                    {"x " + fake("ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"), "x " + redacted},
		"a fine-grained token of GitHub":       {"x " + fake("github_pat_", "11ABCDEFG0abcdefghijkl_mnop"), "x " + redacted},
		"a token of Slack":                     {"x " + fake("xoxb-", "123456789012-abcdefGHIJ"), "x " + redacted},
		"a web hook of Slack":                  {"curl " + fake("https://hooks.slack", ".com/services/T00/B00/abc"), "curl https://" + redacted},
		"a private key":                        {"x " + fake("-----BEGIN RSA ", "PRIVATE KEY-----\nabc\ndef\n-----END RSA ", "PRIVATE KEY-----") + " y", "x " + redacted + " y"},
		"an exported one in quotes":            {"export 'TOKEN=hunter 2' && ls", "export 'TOKEN=" + redacted + "' && ls"},
		"a private key without an end":         {"x " + fake("-----BEGIN ", "PRIVATE KEY-----\nabc\ndef"), "x " + redacted},
		"a token of a model":                   {"x " + fake("sk-", "proj-abcdefghij0123456789abcd"), "x " + redacted},
		"a default that is none in a variable": {"TOKEN=${TOKEN:-hunter2} ls", "TOKEN=" + redacted + " ls"},
		"twice":                                {"A_TOKEN=hunter2 B_TOKEN=hunter3 ls", "A_TOKEN=" + redacted + " B_TOKEN=" + redacted + " ls"},
	})
}

func TestRT22OrdinaryTextIsNotMangled(t *testing.T) {
	t.Parallel()
	m := secrets.New()
	for _, text := range []string{
		"", "ls -la", "rg -n TODO src/ | head -5", "git log --author=alice --format=%H", "go test ./... -run 'TestToken' -count=1",
		"sort --key=2 -t, x.csv", "sort -k2,2n x", "jq '.key' x.json", "jq '.tokens | length' x.json", `jq '.items[] | {key: .name}' x.json`,
		"PATH=/usr/bin:/bin ls", "PWD=/x OLDPWD=/y ls", "KEYBOARD=us ls", "MONKEY=1 ls", "NODE_ENV=production npm run build", "GOFLAGS=-mod=mod go build",
		"TOKEN=$TOKEN ls", "API_KEY=${API_KEY} ls", "PASSWORD=$(pass show x) ls", "TOKEN= ls", "curl -H \"Authorization: $AUTH\" https://x",
		"PASSWORD_FILE=/run/secrets/x ls", "x --password-file /run/secrets/x", "docker login --password-stdin reg", "x --token-file=t y",
		"git clone git@github.com:a/b.git", "git clone ssh://git@github.com/a/b", "git clone https://github.com/a/b.git", "npm install @types/node@20 left-pad@1.3.0",
		"curl https://example.com/a?page=2&sort=name", "curl 'https://example.com/?key=value'", "curl http://localhost:8080/a@b", "curl https://example.com/users/@me",
		"docker run -p 8080:80 -u 1000:1000 nginx", "ssh -p 2222 host", "mkdir -p a/b", "cp -p a b", "psql -p 5432 db", "sudo -u postgres:x ls", "mysql -p db", "chown -R a:b x",
		"grep -rn password src/", "grep 'token:' x.go", "rg 'secret' .", "sed -n 's/password/x/p' f", "echo the password is wrong", "man 5 passwd", "cat /etc/passwd",
		"python3 tokenizer.py --max-tokens 100", "x --max_tokens=4096 --num-tokens 5", "export AWS_PROFILE=prod AWS_REGION=eu-west-1", "kubectl get secret my-secret -o yaml",
		"kubectl get secrets -n prod", "vault kv get secret/app", "aws secretsmanager get-secret-value --secret-id prod/db", "gh auth status --show-token", "git config user.name alice",
		"curl -H 'Content-Type: application/json' -H 'Accept: */*' https://x", "curl -d '{\"name\":\"x\",\"key\":\"name\"}' https://x", "unexpected token: }", "syntax error near token `;'",
		"openssl x509 -in key.pem -noout -text", "ssh-keygen -t ed25519 -f id_key", "gpg --list-keys", "make -j4 KEY=value", "find . -name '*.key'", "tar -czf keys.tar.gz keys/",
		"task-runner --disk-size 10", "echo risk-based", "https://example.com/path/with:colon/x", "a@b.c:d", "postgres://host/db", "user alice:staff", "zip -r out.zip dir", "7z x a.7z",
		"mysql -uapp db", "mysql -hlocalpost -P3306 db", "openssl req -newkey rsa:2048 -keyform PEM", "openssl x509 -req -CAkey ca.key", "curl -XPUT -dHello https://x", "redis-cli -hpa -n1 ping",
		`{"session":{"key":"agent:main:subagent:1"}}`, `{"sessionKey":"agent:coder:main","token":null}`, `{"sessionKey":null}`, "add the tool to tools.allow", `{"tokens":[1,2],"credentials":[],"cookies":{}}`, "cut -d: -f1 /etc/passwd: /usr/bin/cut may not be used", "rm /tmp/$$/../../etc/passwd: no rule allows these words", "/usr/bin/rg satisfies /usr/bin/rg", "the program /usr/bin/curl is on no allowlist",
	} {
		got, found := m.Text(text)
		assert.Equal(t, text, got)
		assert.Empty(t, found, text)
	}
}

func TestRT22ASecretIsRecognisedByTheWordsAroundIt(t *testing.T) {
	t.Parallel()
	m := secrets.New()
	tests := map[string]struct{ words, want []string }{
		"an option's value": {[]string{"x", "--password", "hunter2", "y"}, []string{"x", "--password", redacted, "y"}},
		"curl -u":           {[]string{"/usr/bin/curl", "-u", "a:hunter2"}, []string{"/usr/bin/curl", "-u", "a:" + redacted}},
		"a header":          {[]string{"curl", "-H", "Authorization: Bearer hunter2"}, []string{"curl", "-H", "Authorization: Bearer " + redacted}},
		"a shell's text":    {[]string{"bash", "-c", "API_KEY=hunter2 ls"}, []string{"bash", "-c", "API_KEY=" + redacted + " ls"}},
		"a value of spaces": {[]string{"env", "TOKEN=hunter 2", "ls"}, []string{"env", "TOKEN=" + redacted, "ls"}},
		"nothing":           {[]string{"sort", "-k", "2"}, []string{"sort", "-k", "2"}},
		"an empty one":      {[]string{"x", "--token", ""}, []string{"x", "--token", ""}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := strings.Join(test.words, "\x00")
			got, _ := m.Words(test.words)
			assert.Equal(t, test.want, got)
			assert.Equal(t, given, strings.Join(test.words, "\x00"), "what was given stays as it is")
		})
	}
}

// Who writes a command must not hide another one behind a secret.
func TestRT22NoCommandIsHidden(t *testing.T) {
	t.Parallel()
	m := secrets.New()
	for _, text := range []string{
		"TOKEN=x; rm -rf /", "TOKEN=x rm -rf /", "TOKEN=x&&rm -rf /", "TOKEN=\"$(rm -rf /)\" ls", "TOKEN=`rm -rf /` ls", "TOKEN=\"x`rm -rf /`\" ls", "bash -c 'TOKEN=x rm -rf /'",
		"eval 'TOKEN=x rm -rf /'", "ssh host 'TOKEN=x rm -rf /'", "bash -c 'TOKEN=x;rm -rf /'", "authorization: x; rm -rf /", "bash -c 'authorization: x; rm -rf /'",
		"echo cookie: x; rm -rf /", "bash -c 'cookie: x; rm -rf /'", "x --password; rm -rf /", "x --password\nrm -rf /", "x --token | rm -rf /", "curl -u a:b;rm -rf /",
		"curl https://a:b;rm -rf /@x", "curl https://x/?token=a;rm -rf /", "echo password: x; rm -rf /", "curl -u \"a:$(rm -rf /)\" x", "x='{\"password\": \"'; rm -rf /; y='\"}'",
		"x='{\"password\": [\"'; rm -rf /; y='\"]}'", `x='{"credentials":[a;rm -rf /]}'`, `"credentials":["a";rm -rf /`, `"credentials":[a rm -rf /`, "\"credentials\":[\"a\",\nrm -rf /", `"credentials":[a,$(rm -rf /)]`,
		"echo \"password\":\nrm -rf /", "echo password:\nrm -rf /",
	} {
		got, _ := m.Text(text)
		assert.Contains(t, got, "rm -rf /", "%s", text)
	}
}

// Most events have such a word in a message of the policy, and looking closer takes time.
func TestWordsOfProseAreNotSuspect(t *testing.T) {
	t.Parallel()
	m := secrets.New()
	for _, text := range []string{"tool read passes every step", "\"it passed all of them\""} {
		assert.False(t, m.Suspect([]byte(text)), text)
	}
	for _, text := range []string{"passes", "x passes=hunter2", "x passes: y", "x-passes y", "x Passes y", "it passes pass=x", "x passed_token y", "x passest y", "x pass y"} {
		assert.True(t, m.Suspect([]byte(text)), text)
	}
}

func FuzzText(f *testing.F) {
	m := secrets.New()
	for _, seed := range []string{"API_KEY=x ls", `curl -u "a:b" 'https://c:d@e/?token=f#g'`, "--password", "'\"\\", "a=\\", "Authorization: ", "\xff=\xfe", "TOKEN='", `{"password":"`, "it passes --pass x", "set passes y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, found := m.Text(text)
		if len(found) == 0 && got != text {
			t.Errorf("%q became %q without a secret", text, got)
		}
		if got != text && !m.Suspect([]byte(text)) {
			t.Errorf("%q is not suspect, and became %q", text, got)
		}
		m.Words([]string{text, text})
	})
}

func BenchmarkSuspect(b *testing.B) {
	m := secrets.New()
	text := []byte(strings.Repeat("rg -n TODO src/ | head -5 ", 100))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m.Suspect(text)
	}
}

func BenchmarkText(b *testing.B) {
	m := secrets.New()
	b.ReportAllocs()
	for b.Loop() {
		m.Text("curl -sS -H 'Authorization: Bearer hunter2' https://example.com/?a=b")
	}
}
