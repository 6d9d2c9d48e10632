package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"gavel"
)

// What a victim of an attacker may notice. The attacker shares the cores with the server
// and the victims, and its own work counts as well: below noticed nobody does. A short run,
// which is part of the gate, may stand beside anything on a busy machine; it only finds
// victims that are not served.
const (
	slower      = 3 // times the 99th percentile of a victim without the attacker
	noticed     = 75 * time.Millisecond
	inShort     = 5 * time.Second  // in a short run
	enough      = 30 * time.Second // a siege that lasts as long is no short run
	mostMemory  = 300.0            // MiB resident
	attackers   = 4                // connections that send as fast as they can
	idleOnes    = 200              // connections that send nothing
	sockets     = 8                // WebSockets, each with questions that wait
	victimRests = 5 * time.Millisecond
)

// siege is one attack on a server of its own, beside which victims ask as usual.
type siege struct {
	server      *served
	book        *ledger
	quiet, hard []time.Duration // what victims waited
	ids         []string        // of the decisions that victims got
	memory      float64         // the most, in MiB
	requests    int             // of the attacker
	length      time.Duration
}

// besiege measures victims for a while without the attacker, and for as long with it, and
// returns what is wrong.
func besiege(ctx context.Context, dir string, length time.Duration) ([]string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a place for the server's files: %w", err)
	}
	server, err := serve(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &siege{server: server, book: newLedger(), length: length}
	s.quiet = s.victim(ctx, length)
	attack, stop := context.WithCancel(ctx)
	var working sync.WaitGroup
	s.attack(attack, &working)
	working.Go(func() { s.watchMemory(attack) })
	s.hard = s.victim(ctx, length)
	stop()
	working.Wait()
	stopped := server.stop()
	problems := s.verdict()
	if stopped != nil {
		problems = append(problems, stopped.Error())
	}
	return problems, nil
}

// client is one with connections of its own.
func (s *siege) client(scope string) *client {
	return (&soak{server: s.server, book: s.book}).client(false, scope)
}

// victim asks one thing after the other, as a gateway, and returns how long each took.
func (s *siege) victim(ctx context.Context, length time.Duration) (took []time.Duration) {
	c := s.client("gateway")
	defer c.close()
	working, done := context.WithTimeout(ctx, length)
	defer done()
	for n := 0; pause(working, victimRests); n++ {
		one := call{Call: execCall("coder", "", fmt.Sprintf("rg -n TODO src/%d", n%50))}
		one.Environment = environment(map[string]bool{"rg": true})
		began := time.Now()
		if d, ok := c.decide(one); ok {
			took, s.ids = append(took, time.Since(began)), append(s.ids, d.ID)
		}
	}
	return took
}

// bodies are the worst that a caller of the least scope may send.
func bodies() [][]byte {
	call := func(params map[string]any) []byte {
		text, err := json.Marshal(gavel.Call{Agent: gavel.Agent{ID: "coder"}, Tool: gavel.Tool{Name: "exec", Params: params}})
		if err != nil {
			return nil // it is a literal
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

// attack begins everything that an attacker with the token decide can do at once.
func (s *siege) attack(ctx context.Context, working *sync.WaitGroup) {
	all := bodies()
	var counted sync.Mutex
	for i := range attackers {
		working.Go(func() {
			c := s.client("decide")
			defer c.close()
			for n := i; ctx.Err() == nil; n++ {
				answer, err := c.raw(ctx, "/v1/decisions?explain=true", all[n%len(all)])
				if err == nil {
					_ = answer.Body.Close() // not read: it is large
				}
				counted.Lock()
				s.requests++
				counted.Unlock()
				if err != nil || answer.StatusCode != 200 {
					pause(ctx, time.Millisecond) // the machine is the victims' as well
				}
			}
		})
	}
	addr := strings.TrimPrefix(s.server.listen, "http://")
	working.Go(func() { s.idle(ctx, addr) })
	for range sockets {
		working.Go(func() { s.wait(ctx, addr) })
	}
}

// idle holds connections: some send nothing, others half of a body.
func (s *siege) idle(ctx context.Context, addr string) {
	for ctx.Err() == nil {
		var held []net.Conn
		for i := range idleOnes {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
			if err != nil {
				break
			}
			if i%4 == 0 {
				_, _ = fmt.Fprintf(conn, "POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: 900000\r\n\r\n{", s.server.tokens["decide"])
			}
			held = append(held, conn)
		}
		pause(ctx, 2*time.Second)
		for _, conn := range held {
			_ = conn.Close() // it may be gone
		}
	}
}

// wait opens a WebSocket and asks much that waits.
func (s *siege) wait(ctx context.Context, addr string) {
	conn, _, err := websocket.Dial(ctx, "ws://"+addr+"/rpc", &websocket.DialOptions{HTTPHeader: map[string][]string{"Authorization": {"Bearer " + s.server.tokens["decide"]}}}) //nolint:bodyclose // of an upgrade there is none
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

// watchMemory keeps the most that was resident.
func (s *siege) watchMemory(ctx context.Context) {
	for pause(ctx, 100*time.Millisecond) {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.server.cmd.Process.Pid), "statm"))
		var pages float64
		if err != nil {
			return
		}
		if _, err := fmt.Sscanf(string(text), "%f %f", new(float64), &pages); err == nil {
			s.memory = max(s.memory, pages*float64(os.Getpagesize())/mebibyte)
		}
	}
}

// verdict reports, and says which bound is broken.
func (s *siege) verdict() []string {
	problems := s.book.problems()
	at := func(list []time.Duration, part int) time.Duration {
		if len(list) == 0 {
			return 0
		}
		slices.Sort(list)
		return list[min(len(list)-1, len(list)*part/100)]
	}
	quiet, hard := at(s.quiet, 99), at(s.hard, 99)
	fmt.Printf("attacker     %d requests; victims: p50 %s, p99 %s without it (%d), p50 %s, p99 %s beside it (%d); %.0f MiB resident at most\n", s.requests,
		rounded(at(s.quiet, 50)), rounded(quiet), len(s.quiet), rounded(at(s.hard, 50)), rounded(hard), len(s.hard), s.memory)
	most := max(slower*quiet, noticed)
	if s.length < enough {
		most = max(most, inShort)
	}
	if hard > most {
		problems = append(problems, fmt.Sprintf("beside the attacker a victim's p99 is %s, without it %s", hard, quiet))
	}
	if s.memory > mostMemory {
		problems = append(problems, fmt.Sprintf("%.0f MiB were resident, more than %.0f", s.memory, mostMemory))
	}
	if len(s.quiet) < 5 || len(s.hard) < 5 || s.requests < 5 {
		problems = append(problems, "too little happened beside the attacker")
	}
	return append(problems, s.missing()...)
}

// missing says which decisions of victims are not in the log.
func (s *siege) missing() []string {
	files, _ := filepath.Glob(filepath.Join(s.server.state, "decisions*")) // the pattern is a good one
	known := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return []string{err.Error()}
		}
		for line := range bytes.Lines(text) {
			var event struct {
				ID string `json:"decision_id"`
			}
			if json.Unmarshal(line, &event) == nil {
				known[event.ID] = true
			}
		}
	}
	lost := 0
	for _, id := range s.ids {
		if !known[id] {
			lost++
		}
	}
	if lost > 0 {
		return []string{fmt.Sprintf("%d of %d decisions of victims are not in the log", lost, len(s.ids))}
	}
	return nil
}
