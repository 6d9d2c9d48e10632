//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"gavel/analyzer"
	"gavel/bundles"
	"gavel/rego"
)

// kit contains the parts that campaigns share, because creating them takes as long as some hundred
// commands. It is safe for concurrent use.
type kit struct {
	stub   []byte // the executable that all stubs are links to
	tables analyzer.Tables
	cache  *bundles.CompileCache
}

func newKit(ctx context.Context) (*kit, error) {
	var k kit
	var errs [3]error
	k.stub, errs[0] = buildStub(ctx)
	k.tables, errs[1] = analyzer.ReadTables(rego.Policy)
	k.cache, errs[2] = bundles.NewCompileCache()
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	return &k, nil
}

// buildStub compiles the stub.
func buildStub(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "gavel-soundness-")
	if err != nil {
		return nil, fmt.Errorf("create a directory for the stub: %w", err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "stub")
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", name, "gavel/tools/soundness/stub")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the stub: %w\n%s", err, out)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the stub: %w", err)
	}
	return text, nil
}
