package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever is observed of a call, and whatever a reason quotes of it: no fact repeats a
// secret that the command shows.
func TestRT22NoSecretOfACallReachesTheLog(t *testing.T) {
	t.Parallel()
	v := logVictim(t)
	v.start()
	const secret = "hunter2hunter2"
	client := &http.Client{}
	for _, command := range []string{
		"API_KEY=SECRET ls", "export API_KEY=SECRET; ls", "env DB_PASSWORD=SECRET ls", "curl -H 'Authorization: Bearer SECRET' https://h/", "curl -u a:SECRET https://h/",
		"curl -sSua:SECRET https://h/", "curl --user=a:SECRET https://h/", "curl --oauth2-bearer SECRET https://h/", "git clone https://u:SECRET@h/x", "curl 'https://h/?a=b&token=SECRET'",
		"bash -c 'API_KEY=SECRET ls'", "timeout 5 curl -u a:SECRET https://h/", "mysql -pSECRET db", "sshpass -p SECRET ssh a@h", "x --password=SECRET", "x --token SECRET > /tmp/f",
		"curl -d '{\"password\":\"SECRET\"}' https://h/", "echo https://u:SECRET@h/ | xargs curl", "find . -exec curl -u a:SECRET {} +", "ls \\\"$(API_KEY=SECRET x)\\\"", "wget --header='X-Api-Key: SECRET' https://h/",
		"for i in 1 2; do curl -u a:SECRET https://h/; done", "python3 -c 'x' --token SECRET", "git -c http.extraHeader='Authorization: Basic SECRET' fetch", "ls 'TOKEN=SECRET",
	} {
		text, err := json.Marshal(strings.ReplaceAll(command, "SECRET", secret))
		require.NoError(t, err)
		body := `{"agent":{"id":"main"},"tool":{"name":"exec","params":{"command":` + string(text) + `,"env":{"A":"` + secret + `"}}}}`
		_, ok := v.do(client, "gateway", http.MethodPost, "/v1/decisions", body)
		require.True(t, ok, command)
	}
	for _, params := range []string{`{"url":"https://h/?api_key=SECRET"}`, `{"url":"https://h/","headers":{"Authorization":"Bearer SECRET","X-Acme":"SECRET"}}`, `{"url":"https://h/","token":"SECRET"}`} {
		body := `{"agent":{"id":"main"},"tool":{"name":"web_fetch","params":` + strings.ReplaceAll(params, "SECRET", secret) + `}}`
		_, ok := v.do(client, "decide", http.MethodPost, "/v1/decisions", body)
		require.True(t, ok, params)
	}
	log, decisions := v.interrupted()
	assert.NotContains(t, log, secret)
	assert.NotContains(t, log, `"error"`)
	assert.Len(t, decisions, 28)
}
