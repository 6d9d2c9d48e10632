package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/server"
)

// waitingRoom is a server with one route whose requests wait until each is let go.
type waitingRoom struct {
	t       *testing.T
	s       *server.Server
	entered chan string // the credential of who has come in
	leave   chan struct{}
	left    chan *httptest.ResponseRecorder
}

func newWaitingRoom(t *testing.T, most, mostEach int) *waitingRoom {
	room := &waitingRoom{t: t, entered: make(chan string), leave: make(chan struct{}), left: make(chan *httptest.ResponseRecorder)}
	cfg := config(t)
	cfg.Limiter = server.NewLimiter(server.LimiterConfig{Waiting: most, WaitingEach: mostEach})
	cfg.Handlers = map[string]server.Handler{"GET /rpc": func(_ http.ResponseWriter, _ *http.Request, from gavel.Caller) error {
		room.entered <- from.Credential
		<-room.leave
		return nil
	}}
	room.s = newServer(t, cfg)
	return room
}

// ask makes a request, and returns its answer if it did not come in to wait.
func (room *waitingRoom) ask(token string) *httptest.ResponseRecorder {
	go func() { room.left <- get("/rpc", token).do(room.s) }()
	select {
	case <-room.entered:
		return nil
	case answer := <-room.left:
		return answer
	}
}

// refused makes a request that may not wait, and returns the error.
func (room *waitingRoom) refused(token string, status int, code string) map[string]any {
	room.t.Helper()
	answer := room.ask(token)
	require.NotNil(room.t, answer, "one more waits")
	assert.Equal(room.t, status, answer.Code)
	assert.Equal(room.t, "1", answer.Header().Get("Retry-After"))
	said := errorOf(room.t, answer.Body)
	assert.Equal(room.t, code, said["code"])
	return said
}

// goes lets somebody go.
func (room *waitingRoom) goes() {
	room.leave <- struct{}{}
	require.Equal(room.t, http.StatusOK, (<-room.left).Code)
}

func TestOneCallersWaitingRequestsAreLimited(t *testing.T) {
	t.Parallel()
	room := newWaitingRoom(t, 10, 2)
	require.Nil(t, room.ask(decideToken))
	require.Nil(t, room.ask(decideToken))
	said := room.refused(decideToken, http.StatusTooManyRequests, "too_many_waiting")
	assert.Contains(t, said["message"], "2 requests of this credential")
	assert.Contains(t, said["fix"], "WebSocket")
	require.Nil(t, room.ask(gatewayToken), "another caller has a share of its own")
	room.goes()
	room.goes()
	require.Nil(t, room.ask(decideToken), "who let one go may wait again")
	room.goes()
	room.goes()
}

func TestTheServerLimitsWaitingRequestsInTotal(t *testing.T) {
	t.Parallel()
	room := newWaitingRoom(t, 3, 2)
	require.Nil(t, room.ask(decideToken))
	require.Nil(t, room.ask(gatewayToken))
	require.Nil(t, room.ask(gatewayToken))
	said := room.refused(decideToken, http.StatusServiceUnavailable, "overloaded")
	assert.NotEmpty(t, said["fix"])
	assert.Equal(t, http.StatusOK, post("/v1/decisions", readCall).do(room.s).Code, "decisions are answered anyway")
	for range 3 {
		room.goes()
	}
	require.Nil(t, room.ask(decideToken))
	room.goes()
}
