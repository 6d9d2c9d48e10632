// Command faults checks tests by mutation: it applies the faults that testdata/faults.yaml lists
// for a package, one at a time, and reports which test finds each. It changes no source file, but
// passes the faulty one to the compiler as an overlay.
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
		return fmt.Errorf("name directories of packages with a testdata/faults.yaml, as in: go run ./tools/faults internal/regoir")
	}
	missed := 0
	for _, dir := range dirs {
		faults, err := readFaults(dir)
		if err != nil {
			return err
		}
		for _, f := range faults {
			foundBy, err := f.test(ctx, dir)
			switch {
			case err != nil:
				return fmt.Errorf("test the fault %q: %w", f.Fault, err)
			case foundBy == "":
				missed++
				foundBy = "NO TEST"
			}
			fmt.Printf("%s\n\tfound by %s\n", f.Fault, foundBy)
		}
	}
	if missed > 0 {
		return fmt.Errorf("no test finds %d of the faults; add tests that do", missed)
	}
	return nil
}

// fault is a mistake that a developer could make: File has To instead of From.
type fault struct{ Fault, File, From, To string }

// readFaults reads the faults of a package. A fault that no longer applies to the code is an
// error.
func readFaults(dir string) ([]fault, error) {
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
		if _, err := f.apply(dir); err != nil {
			return nil, err
		}
	}
	return faults, nil
}

// apply returns the text of the file with the fault.
func (f fault) apply(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, f.File))
	if err != nil {
		return "", fmt.Errorf("read the file of the fault %q: %w", f.Fault, err)
	}
	if n := strings.Count(string(text), f.From); n != 1 {
		return "", fmt.Errorf("the fault %q: %s contains %q %d times instead of once; correct testdata/faults.yaml", f.Fault, f.File, f.From, n)
	}
	return strings.Replace(string(text), f.From, f.To, 1), nil
}

// testTimeout limits the tests of a package with a fault. Without the fault they take seconds, so a
// timeout means that a test hangs because of it. That counts as finding the fault.
const testTimeout = "2m"

// test runs the package's tests with the fault. It returns the first test that fails, or "" if
// all pass.
func (f fault) test(ctx context.Context, dir string) (foundBy string, err error) {
	text, err := f.apply(dir)
	if err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp("", "fault")
	if err != nil {
		return "", fmt.Errorf("create a directory: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	file, err := filepath.Abs(filepath.Join(dir, f.File))
	if err != nil {
		return "", fmt.Errorf("find %s: %w", f.File, err)
	}
	replacement, overlay := filepath.Join(tmp, f.File), filepath.Join(tmp, "overlay.json")
	overlayText, err := json.Marshal(map[string]any{"Replace": map[string]string{file: replacement}})
	if err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	for name, content := range map[string][]byte{replacement: []byte(text), overlay: overlayText} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			return "", fmt.Errorf("write the fault: %w", err)
		}
	}
	output, err := exec.CommandContext(ctx, "go", "test", "-vet=off", "-failfast", "-timeout", testTimeout, "-overlay", overlay, "./"+dir).CombinedOutput()
	if err == nil {
		return "", nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return failingTest(output)
}

// failingTest finds the name of the failed test in the output of go test. It returns an error if
// the tests did not run, for example because they do not compile.
func failingTest(output []byte) (string, error) {
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
