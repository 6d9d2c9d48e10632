// Command hookload measures the cost of hooks. It starts a gavel-hook for each of many calls,
// several at once, against a real gavel serve, and starts /bin/true as often for comparison. Each
// call has its own file name, so that a reply to another call is noticed.
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

// policy allows only touch.
const policy = `agents: {defaults: {}}
sandboxing: {mode: "off"}
tools: {profile: full, exec: {host: gateway, security: allowlist, ask: "off", allowlist: [/usr/bin/touch]}}
`

func measure(ctx context.Context) error {
	n := flag.Int("n", 10_000, "number of hooks")
	atOnce := flag.Int("at-once", 40, "number of hooks at the same time")
	flag.Parse()
	dir, err := os.MkdirTemp("", "gl") // short, because the length of a socket's path is limited
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is a temporary directory
	for _, name := range []string{"./cmd/gavel", "./cmd/gavel-hook"} {
		build := exec.CommandContext(ctx, "go", "build", "-o", dir+string(filepath.Separator), name)
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as in a release: a static program starts faster
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w: %s", name, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(policy), 0o600); err != nil {
		return err
	}
	stop, err := startServer(ctx, dir)
	if err != nil {
		return err
	}
	defer stop()
	hook := func(i int) (time.Duration, error) { return runHook(ctx, dir, i) }
	runTrue := func(int) (time.Duration, error) {
		cmd := exec.CommandContext(ctx, "/bin/true")
		err := cmd.Run()
		return cpuTime(cmd), err
	}
	var hooks, baseline []cost
	for from := 0; from < *n; from += 10 * *atOnce { // alternating, so that both run under the same load
		count := min(10**atOnce, *n-from)
		for into, run := range map[*[]cost]func(int) (time.Duration, error){&hooks: hook, &baseline: runTrue} {
			costs, err := runConcurrently(from, count, *atOnce, run)
			if err != nil {
				return err
			}
			*into = append(*into, costs...)
		}
	}
	fmt.Printf("%d hooks, %d at once, every reply correct\n", *n, *atOnce)
	fmt.Printf("gavel-hook  %s\n/bin/true   %s\n", summary(hooks), summary(baseline))
	return nil
}

// cost is the time that a process took, and the processor time that it used.
type cost struct{ elapsed, cpu time.Duration }

// cpuTime returns the processor time of a process that has ended.
func cpuTime(cmd *exec.Cmd) time.Duration {
	if cmd.ProcessState == nil {
		return 0
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// runConcurrently runs a function for count numbers beginning with from, atOnce at a time, and
// returns the cost of each run.
func runConcurrently(from, count, atOnce int, run func(int) (time.Duration, error)) ([]cost, error) {
	costs, errs := make([]cost, count), make([]error, count)
	next := make(chan int)
	var group sync.WaitGroup
	for range atOnce {
		group.Go(func() {
			for i := range next {
				start := time.Now()
				costs[i].cpu, errs[i] = run(from + i)
				costs[i].elapsed = time.Since(start)
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

// runHook runs gavel-hook for call i, checks its reply and returns its processor time. Every
// fourth call must be denied.
func runHook(ctx context.Context, dir string, i int) (time.Duration, error) {
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
		return 0, fmt.Errorf("hook %d: want a reply with %s, got %s", i, want, out.String())
	}
	return cpuTime(cmd), nil
}

// startServer starts gavel serve and waits until it is ready.
func startServer(ctx context.Context, dir string) (stop func(), err error) {
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
		return nil, fmt.Errorf("start gavel serve: %w", err)
	}
	return stop, nil
}

// summary formats the percentiles of the elapsed time and the median of the processor time.
func summary(costs []cost) string {
	var elapsed, cpu []time.Duration
	for _, c := range costs {
		elapsed, cpu = append(elapsed, c.elapsed), append(cpu, c.cpu)
	}
	quantile := func(list []time.Duration, q float64) time.Duration {
		slices.Sort(list)
		return list[int(q*float64(len(list)-1))].Round(100 * time.Microsecond)
	}
	return fmt.Sprintf("p50 %-8s p99 %-8s max %-8s processor time p50 %s",
		quantile(elapsed, 0.5), quantile(elapsed, 0.99), quantile(elapsed, 1), quantile(cpu, 0.5))
}
