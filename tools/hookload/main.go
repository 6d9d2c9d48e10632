// Command hookload measures what hooks cost: it starts gavel-hook for each of many calls, several
// at once, against a real gavel serve, and /bin/true in turns with it. Each call has its own
// file name, which its answer must repeat.
//
//	go run ./tools/hookload [-n 10000] [-at-once 40]
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := 0
	if err := measure(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "hookload:", err)
		code = 1
	}
	stop()
	os.Exit(code)
}

// policy allows touch, and nothing else.
const policy = `agents: {defaults: {}}
sandboxing: {mode: "off"}
tools: {profile: full, exec: {host: gateway, security: allowlist, ask: "off", allowlist: [/usr/bin/touch]}}
`

func measure(ctx context.Context) error {
	n := flag.Int("n", 10_000, "how many hooks")
	atOnce := flag.Int("at-once", 40, "how many at the same time")
	flag.Parse()
	dir, err := os.MkdirTemp("", "gl") // short: a socket's path has a limit
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is a temporary directory
	for _, name := range []string{"./cmd/gavel", "./cmd/gavel-hook"} {
		build := exec.CommandContext(ctx, "go", "build", "-o", dir+string(filepath.Separator), name)
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released: a static program starts faster
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w: %s", name, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(policy), 0o600); err != nil {
		return err
	}
	stop, err := serve(ctx, dir)
	if err != nil {
		return err
	}
	defer stop()
	hook := func(i int) (time.Duration, error) { return ask(ctx, dir, i) }
	plain := func(int) (time.Duration, error) {
		cmd := exec.CommandContext(ctx, "/bin/true")
		err := cmd.Run()
		return used(cmd), err
	}
	var hooks, trues []cost
	for from := 0; from < *n; from += 10 * *atOnce { // in turns, so that both meet the same load
		count := min(10**atOnce, *n-from)
		for into, run := range map[*[]cost]func(int) (time.Duration, error){&hooks: hook, &trues: plain} {
			costs, err := together(from, count, *atOnce, run)
			if err != nil {
				return err
			}
			*into = append(*into, costs...)
		}
	}
	fmt.Printf("%d hooks, %d at once, each with its own answer\n", *n, *atOnce)
	fmt.Printf("gavel-hook  %s\n/bin/true   %s\n", shares(hooks), shares(trues))
	return nil
}

// cost is how long a process took, and how much of it was processor time of its own.
type cost struct{ took, used time.Duration }

// used is the processor time of a process that has ended.
func used(cmd *exec.Cmd) time.Duration {
	if cmd.ProcessState == nil {
		return 0
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// together runs a function for count numbers, several at once, and returns what each cost.
func together(from, count, atOnce int, run func(int) (time.Duration, error)) ([]cost, error) {
	costs, errs := make([]cost, count), make([]error, count)
	next := make(chan int)
	var group sync.WaitGroup
	for range atOnce {
		group.Go(func() {
			for i := range next {
				begun := time.Now()
				costs[i].used, errs[i] = run(from + i)
				costs[i].took = time.Since(begun)
			}
		})
	}
	for i := range count {
		next <- i
	}
	close(next)
	group.Wait()
	return costs, errors.Join(errs...)
}

// ask runs one hook. Every fourth call is to be denied.
func ask(ctx context.Context, dir string, i int) (time.Duration, error) {
	command, want := fmt.Sprintf("touch file-%d", i), fmt.Sprintf("'/usr/bin/touch' 'file-%d'", i)
	if i%4 == 3 {
		command, want = fmt.Sprintf("ls file-%d", i), `"permissionDecision":"deny"`
	}
	payload := fmt.Sprintf(`{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/tmp","hook_event_name":"PreToolUse","model":"m",`+
		`"permission_mode":"default","tool_name":"Bash","tool_input":{"command":%q},"tool_use_id":"%d"}`, command, i)
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "gavel-hook"), "codex", "--state", filepath.Join(dir, "s"), "--timeout", "1m") //nolint:gosec // built here
	cmd.Stdin = strings.NewReader(payload)
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("hook %d: %w: %s", i, err, errors.String())
	}
	if !strings.Contains(out.String(), want) {
		return 0, fmt.Errorf("hook %d was answered with %s", i, out.String())
	}
	return used(cmd), nil
}

// serve starts the server.
func serve(ctx context.Context, dir string) (stop func(), err error) {
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "gavel"), "serve", "--output", "json", "--listen", "off", "--timeout", "30s", //nolint:gosec // built here
		"--policy", filepath.Join(dir, "policy.yaml"), "--state", filepath.Join(dir, "s"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}
	if _, err := bufio.NewReader(out).ReadBytes('\n'); err != nil {
		stop()
		return nil, fmt.Errorf("gavel serve does not start: %w", err)
	}
	return stop, nil
}

// shares are the median, the highest of all but one in a hundred and the highest, and the median of
// the processor time.
func shares(costs []cost) string {
	var took, used []time.Duration
	for _, one := range costs {
		took, used = append(took, one.took), append(used, one.used)
	}
	at := func(list []time.Duration, share float64) time.Duration {
		slices.Sort(list)
		return list[int(share*float64(len(list)-1))].Round(100 * time.Microsecond)
	}
	return fmt.Sprintf("p50 %-8s p99 %-8s longest %-8s processor time p50 %s", at(took, 0.5), at(took, 0.99), at(took, 1), at(used, 0.5))
}
