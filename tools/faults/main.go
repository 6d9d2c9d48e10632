// Command faults plants faults in a package, one after another, and says whether the package's
// tests find each. Files stay as they are: the compiler reads changed ones from elsewhere.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, dirs []string) error {
	if len(dirs) == 0 {
		return fmt.Errorf("name folders of packages with a testdata/faults.yaml, as in: go run ./tools/faults internal/regoir")
	}
	missed := 0
	for _, dir := range dirs {
		faults, err := read(dir)
		if err != nil {
			return err
		}
		for _, f := range faults {
			by, err := f.plant(ctx, dir)
			switch {
			case err != nil:
				return fmt.Errorf("plant %q: %w", f.Fault, err)
			case by == "":
				missed++
				by = "NO TEST"
			}
			fmt.Printf("%s\n\tfound by %s\n", f.Fault, by)
		}
	}
	if missed > 0 {
		return fmt.Errorf("%d faults were not found; add tests that find them", missed)
	}
	return nil
}

// fault is a mistake that somebody could make: in a file, From is replaced by To.
type fault struct{ Fault, File, From, To string }

// read reads the faults of a package. Each must be possible, so that the table follows the code.
func read(dir string) ([]fault, error) {
	name := filepath.Join(dir, "testdata", "faults.yaml")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var faults []fault
	if err := decoder.Decode(&faults); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(faults) == 0 {
		return nil, fmt.Errorf("%s has no faults", name)
	}
	for _, f := range faults {
		if _, err := f.changed(dir); err != nil {
			return nil, err
		}
	}
	return faults, nil
}

// changed is the text of the file with the fault.
func (f fault) changed(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, f.File))
	if err != nil {
		return "", fmt.Errorf("read the file of the fault %q: %w", f.Fault, err)
	}
	if n := strings.Count(string(text), f.From); n != 1 {
		return "", fmt.Errorf("the fault %q: %s contains %q %d times instead of once; correct testdata/faults.yaml", f.Fault, f.File, f.From, n)
	}
	return strings.Replace(string(text), f.From, f.To, 1), nil
}

// limit is how long the tests of a package may take with a fault. Without one they take seconds,
// so that tests which run longer hang because of the fault, and that is finding it.
const limit = "2m"

// plant runs the package's tests with the fault. It returns the first test that fails, "" if
// none does.
func (f fault) plant(ctx context.Context, dir string) (found string, err error) {
	text, err := f.changed(dir)
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp("", "fault")
	if err != nil {
		return "", fmt.Errorf("make a folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	file, err := filepath.Abs(filepath.Join(dir, f.File))
	if err != nil {
		return "", fmt.Errorf("find %s: %w", f.File, err)
	}
	instead, overlay := filepath.Join(folder, f.File), filepath.Join(folder, "overlay.json")
	said, err := json.Marshal(map[string]any{"Replace": map[string]string{file: instead}})
	if err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	for name, content := range map[string][]byte{instead: []byte(text), overlay: said} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			return "", fmt.Errorf("write the fault: %w", err)
		}
	}
	output, err := exec.CommandContext(ctx, "go", "test", "-vet=off", "-failfast", "-timeout", limit, "-overlay", overlay, "./"+dir).CombinedOutput()
	if err == nil {
		return "", nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return failed(output)
}

// failed is the test that failed, by the output of go test. Tests that were not built find nothing.
func failed(output []byte) (string, error) {
	if name := regexp.MustCompile(`(?m)^--- FAIL: (\S+)`).FindSubmatch(output); name != nil {
		return string(name[1]), nil
	}
	if hung := regexp.MustCompile(`panic: test timed out after (\S+)(?:\n\s*running tests:\n\s+(\S+))?`).FindSubmatch(output); hung != nil {
		return fmt.Sprintf("%s, which still ran after %s", cmp.Or(string(hung[2]), "a test"), hung[1]), nil
	}
	if bytes.Contains(output, []byte("panic:")) || bytes.Contains(output, []byte("fatal error:")) {
		return "a panic", nil
	}
	return "", fmt.Errorf("the tests did not run:\n%s", output)
}
