package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"gavel"
)

// The size of an attack.
const (
	attackConnections = 4   // send requests as fast as they can
	idleConnections   = 200 // send no complete request
	webSockets        = 8   // each with questions that wait for an answer
)

// attackOrder tells an attacking process which server to attack. The process reads it as JSON from
// standard input.
type attackOrder struct{ Listen, Token string }

// runAttacker is the main function of the attacking process. It attacks until standard input ends,
// and then writes the number of requests. The attacker is a separate process so that its memory and
// goroutines do not slow the victim.
func runAttacker(in io.Reader, out io.Writer) error {
	var a attackOrder
	if err := json.NewDecoder(in).Decode(&a); err != nil {
		return fmt.Errorf("read the attack order: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, in) // ends when the parent closes it or exits
		stop()
	}()
	_, err := fmt.Fprintln(out, a.attack(ctx))
	return err
}

// attackProcess is a running attacker.
type attackProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out strings.Builder
}

// startAttacker starts this program again with -attack.
func (s *siege) startAttacker() (*attackProcess, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	e := &attackProcess{cmd: exec.Command(self, "-attack")} //nolint:noctx // it exits when its input ends
	e.cmd.Stdout, e.cmd.Stderr = &e.out, os.Stderr
	if e.in, err = e.cmd.StdinPipe(); err == nil {
		err = e.cmd.Start()
	}
	if err == nil {
		err = json.NewEncoder(e.in).Encode(attackOrder{s.server.listen, s.server.tokens["decide"]})
	}
	if err != nil {
		return nil, fmt.Errorf("start the attacker: %w", err)
	}
	return e, nil
}

// stop ends the attack and returns the number of requests.
func (e *attackProcess) stop() (int, error) {
	err := errors.Join(e.in.Close(), e.cmd.Wait())
	if err != nil {
		return 0, fmt.Errorf("stop the attacker: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(e.out.String()))
}

// expensiveBodies returns the most expensive requests that a token of the scope decide may send.
func expensiveBodies() [][]byte {
	call := func(params map[string]any) []byte {
		text, err := json.Marshal(gavel.Call{Agent: gavel.Agent{ID: "coder"}, Tool: gavel.Tool{Name: "exec", Params: params}})
		if err != nil {
			return nil // cannot happen: the value is a literal
		}
		return text
	}
	env := map[string]any{}
	for i := range 10_000 {
		env["NAME_"+strconv.Itoa(i)] = "x"
	}
	few := map[string]any{}
	for i := range 128 {
		few["NAME_"+strconv.Itoa(i)] = "x"
	}
	deep := strings.TrimSuffix(strings.Repeat("[[[[1]]]],", 90_000), ",")
	return [][]byte{
		[]byte(`{"agent":{"id":"coder"},"tool":{"name":"web_search","params":{"query":[` + deep + `]}}}`),
		call(map[string]any{"command": "ls", "env": env}),
		call(map[string]any{"command": "ls", "env": few}),
		call(map[string]any{"command": "ls /" + strings.Repeat("a/", 30_000)}),
		call(map[string]any{"command": "ls " + strings.Repeat(">/tmp/x ", 128)}),
		call(map[string]any{"command": strings.Repeat("ls $(ls /tmp/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa);", 120) + "ls"}),
		call(map[string]any{"command": "echo '" + strings.Repeat("x", 900_000) + "'"}),
	}
}

// attack sends expensive requests and holds connections open until ctx ends. It returns the number
// of requests.
func (a attackOrder) attack(ctx context.Context) int {
	all := expensiveBodies()
	var requests atomic.Int64
	var working sync.WaitGroup
	for i := range attackConnections {
		working.Go(func() {
			c := &client{base: a.Listen, token: a.Token, http: &http.Client{Transport: &http.Transport{}, Timeout: requestTimeout}}
			defer c.close()
			for n := i; ctx.Err() == nil; n++ {
				answer, err := c.post(ctx, "/v1/decisions?explain=true", all[n%len(all)])
				if err == nil {
					_ = answer.Body.Close() // not read, because it is large
				}
				requests.Add(1)
				if err != nil || answer.StatusCode != 200 {
					pause(ctx, time.Millisecond) // leaves the victim some processor time
				}
			}
		})
	}
	addr := strings.TrimPrefix(a.Listen, "http://")
	working.Go(func() { a.holdConnections(ctx, addr) })
	for range webSockets {
		working.Go(func() { a.holdWebSocket(ctx, addr) })
	}
	working.Wait()
	return int(requests.Load())
}

// holdConnections holds connections open: one in four sends a part of a request, the others send
// nothing.
func (a attackOrder) holdConnections(ctx context.Context, addr string) {
	for ctx.Err() == nil {
		var held []net.Conn
		for i := range idleConnections {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
			if err != nil {
				break
			}
			if i%4 == 0 {
				_, _ = fmt.Fprintf(conn, "POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: 900000\r\n\r\n{", a.Token)
			}
			held = append(held, conn)
		}
		pause(ctx, 2*time.Second)
		for _, conn := range held {
			_ = conn.Close() // it may be closed already
		}
	}
}

// holdWebSocket opens a WebSocket and sends questions that wait for an answer.
func (a attackOrder) holdWebSocket(ctx context.Context, addr string) {
	conn, _, err := websocket.Dial(ctx, "ws://"+addr+"/rpc", &websocket.DialOptions{HTTPHeader: map[string][]string{"Authorization": {"Bearer " + a.Token}}}) //nolint:bodyclose // an upgrade has no body
	if err != nil {
		return
	}
	defer conn.CloseNow() //nolint:errcheck // it may be gone
	for n := 0; n < 40 && ctx.Err() == nil; n++ {
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"exec.approval.request","params":{"agentId":"ops","command":"rm build/%d","env":{"BIG":%q}}}`,
			n, n, strings.Repeat("x", 800_000))
		if conn.Write(ctx, websocket.MessageText, []byte(text)) != nil {
			return
		}
	}
	<-ctx.Done()
}
