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
	attackers = 4   // connections that send as fast as they can
	idleOnes  = 200 // connections that send nothing
	sockets   = 8   // WebSockets, each with waiting questions
)

// attacker is the order for an attacking process, as JSON on standard input. The process
// attacks until its standard input ends, and then writes how many requests it sent. It is a
// separate process so that its memory and goroutines do not slow the victims' clients.
type attacker struct{ Listen, Token string }

// besieger attacks according to the order.
func besieger(in io.Reader, out io.Writer) error {
	var a attacker
	told := json.NewDecoder(in)
	if err := told.Decode(&a); err != nil {
		return fmt.Errorf("read whom to attack: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, in) // ends when the parent closes it or exits
		stop()
	}()
	_, err := fmt.Fprintln(out, a.attack(ctx))
	return err
}

// enemy is an attacking process.
type enemy struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out strings.Builder
}

// enemy starts this program a second time to attack the server.
func (s *siege) enemy() (*enemy, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	e := &enemy{cmd: exec.Command(self, "-attack")} //nolint:noctx // it ends with its input
	e.cmd.Stdout, e.cmd.Stderr = &e.out, os.Stderr
	if e.in, err = e.cmd.StdinPipe(); err == nil {
		err = e.cmd.Start()
	}
	if err == nil {
		err = json.NewEncoder(e.in).Encode(attacker{s.server.listen, s.server.tokens["decide"]})
	}
	if err != nil {
		return nil, fmt.Errorf("start the attacker: %w", err)
	}
	return e, nil
}

// end stops the attack, and returns the number of requests.
func (e *enemy) end() (int, error) {
	err := errors.Join(e.in.Close(), e.cmd.Wait())
	if err != nil {
		return 0, fmt.Errorf("end the attacker: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(e.out.String()))
}

// bodies are the most expensive requests that the least scope may send.
func bodies() [][]byte {
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

// attack does at once everything that the token decide permits, until ctx ends, and returns the
// number of requests.
func (a attacker) attack(ctx context.Context) int {
	all := bodies()
	var requests atomic.Int64
	var working sync.WaitGroup
	for i := range attackers {
		working.Go(func() {
			c := &client{base: a.Listen, token: a.Token, http: &http.Client{Transport: &http.Transport{}, Timeout: answersWithin}}
			defer c.close()
			for n := i; ctx.Err() == nil; n++ {
				answer, err := c.raw(ctx, "/v1/decisions?explain=true", all[n%len(all)])
				if err == nil {
					_ = answer.Body.Close() // not read, because it is large
				}
				requests.Add(1)
				if err != nil || answer.StatusCode != 200 {
					pause(ctx, time.Millisecond) // leaves the victims some of the machine
				}
			}
		})
	}
	addr := strings.TrimPrefix(a.Listen, "http://")
	working.Go(func() { a.idle(ctx, addr) })
	for range sockets {
		working.Go(func() { a.wait(ctx, addr) })
	}
	working.Wait()
	return int(requests.Load())
}

// idle holds connections open: some send nothing, others half of a body.
func (a attacker) idle(ctx context.Context, addr string) {
	for ctx.Err() == nil {
		var held []net.Conn
		for i := range idleOnes {
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

// wait opens a WebSocket and sends many questions that wait.
func (a attacker) wait(ctx context.Context, addr string) {
	conn, _, err := websocket.Dial(ctx, "ws://"+addr+"/rpc", &websocket.DialOptions{HTTPHeader: map[string][]string{"Authorization": {"Bearer " + a.Token}}}) //nolint:bodyclose // of an upgrade there is none
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
