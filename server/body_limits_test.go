package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
	"gavel/server"
)

func TestRT01ABodyOfManyValuesIsRefusedWithItsCode(t *testing.T) {
	t.Parallel()
	w := post("/v1/decisions", `{"agent":{"id":"a"},"tool":{"name":"web_search","params":{"query":[`+strings.TrimSuffix(strings.Repeat("[[[[1]]]],", 90_000), ",")+`]}}}`).do(newServer(t, config(t)))
	assert.Equal(t, http.StatusRequestEntityTooLarge, w.Code)
	assert.Equal(t, "body_too_large", errorOf(t, w.Body)["code"])
	w = post("/v1/decisions", readCall).do(newServer(t, config(t)))
	assert.Equal(t, http.StatusOK, w.Code)
}

func TestRT31EveryBodyIsJSON(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Handlers = map[string]server.Handler{"POST /rpc": func(w http.ResponseWriter, _ *http.Request, _ gavel.Caller) error {
		w.WriteHeader(http.StatusOK)
		return nil
	}}
	s := newServer(t, cfg)
	request := post("/rpc", "{}")
	request.header = map[string]string{"Content-Type": "text/plain"}
	w := request.do(s)
	assert.Equal(t, http.StatusUnsupportedMediaType, w.Code)
}

func TestADeclaredLengthBeyondTheLimitIsRefusedBeforeItIsReserved(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.MaxBody = 1 << 10
	cfg.Limiter = server.NewLimiter(server.LimiterConfig{Bytes: 4 << 10, BytesEach: 2 << 10})
	w := post("/v1/decisions", strings.Repeat(" ", 3<<10)+readCall).do(newServer(t, cfg))
	assert.Equal(t, http.StatusRequestEntityTooLarge, w.Code)
	assert.Equal(t, "body_too_large", errorOf(t, w.Body)["code"])
}
