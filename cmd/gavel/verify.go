package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/approvals"
	"gavel/grant"
	"gavel/internal/strictjson"
)

// verifyFlags say what a grant is compared with.
type verifyFlags struct {
	key, call, bound, exec, host, node string
}

func (a *app) verifyCommand() *cobra.Command {
	var flags verifyFlags
	cmd := &cobra.Command{
		Use:   "verify [GRANT|-]",
		Short: "Verify that a grant permits what is about to run, without asking a server",
		Long: `Verify a grant: was it signed by this key, is it still valid, and does it cover
exactly what is about to run? Give either the call, which is analyzed on this
machine, or the fields of its binding (docs/binding.md). If the policy sets
tools.exec.pathPrepend, --policy says where programs are looked up first.
With --exec, the obligations of the decision are compared, too: sandbox, times,
where it may write.

A grant covers one use. This command does not use it up; POST /v1/grants/verify does.

Exit codes: 0 it permits the call, 2 it does not, 1 an error.`,
		Example: `  gavel verify --key grant.pub --call call.json --host gateway grant.jws
  gavel verify --key grant.pub --bound bound.json - < grant.jws`,
		Args: atMostOne("grant"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.verify(cmd.Context(), first(args), flags) },
	}
	cmd.Flags().StringVar(&flags.key, "key", "", "file with the public key in PEM: STATE/keys/grant.pub of the server (required)")
	cmd.Flags().StringVar(&flags.call, "call", "", "file with the call that is about to run, in JSON")
	cmd.Flags().StringVar(&a.policy, "policy", "", "the policy of the server, for --call; without it, no directory is searched before PATH")
	cmd.Flags().StringVar(&flags.bound, "bound", "", "file with the fields of the binding, in JSON")
	cmd.Flags().StringVar(&flags.exec, "exec", "", "file with exec of the decision, in JSON, whose obligations are compared as well")
	cmd.Flags().StringVar(&flags.host, "host", "", "host that --call runs on: sandbox, gateway or node")
	cmd.Flags().StringVar(&flags.node, "node", "", "node that --call runs on")
	return cmd
}

// verifyAnswer is the JSON output of gavel verify.
type verifyAnswer struct {
	OK       bool     `json:"ok"`
	Approval string   `json:"approval,omitempty"`
	Code     string   `json:"code,omitempty"`
	Message  string   `json:"message,omitempty"`
	Fields   []string `json:"fields,omitempty"`
}

func (a *app) verify(ctx context.Context, name string, flags verifyFlags) error {
	if flags.key == "" || (flags.call == "") == (flags.bound == "") {
		return fix(errors.New("--key and one of --call and --bound are required"), "run gavel verify --help")
	}
	text, err := os.ReadFile(flags.key)
	if err != nil {
		return fmt.Errorf("read the key: %w", err)
	}
	keys, err := grant.ParseKeys(text)
	if err != nil {
		return fix(err, "use keys/grant.pub of the server's state directory")
	}
	token, err := a.readGrant(name)
	if err != nil {
		return err
	}
	actual, err := a.actual(ctx, flags)
	if err != nil {
		return err
	}
	obligations, err := readObligations(flags.exec)
	if err != nil {
		return err
	}
	claims, err := (&grant.Verifier{Keys: keys, Now: a.now}).Verify(token, actual)
	if err == nil && flags.exec != "" {
		err = claims.CheckObligations(obligations)
	}
	var refused *grant.Error
	switch {
	case errors.As(err, &refused):
		a.code = exitDenied
		return a.verified(verifyAnswer{Code: refused.Code, Message: refused.Message, Fields: refused.Fields})
	case err != nil:
		return err
	}
	return a.verified(verifyAnswer{OK: true, Approval: claims.Approval})
}

func (a *app) verified(answer verifyAnswer) error {
	switch {
	case a.json():
		return strictjson.Write(a.stdout, answer)
	case answer.OK:
		a.printf("the grant permits exactly this call (approval %s)\n", clean(answer.Approval))
	default:
		a.printf("refused: %s (%s)\n", clean(answer.Message), answer.Code)
	}
	return nil
}

func (a *app) readGrant(name string) (string, error) {
	in, err := a.open(name, "gavel verify --key grant.pub --call call.json grant.jws")
	if err != nil {
		return "", err
	}
	defer in.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(in, grant.MaxToken+2))
	if err != nil {
		return "", fmt.Errorf("read the grant: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// readObligations reads exec of a decision from a file, and returns its obligations. Without a file
// there are none.
func readObligations(name string) (map[string]string, error) {
	if name == "" {
		return map[string]string{}, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read exec of the decision: %w", err)
	}
	var exec gavel.Exec
	if err := strictjson.Unmarshal(text, &exec); err != nil {
		return nil, fmt.Errorf("read exec of the decision: %w", err)
	}
	return grant.Obligations(exec.Obligations())
}

// actual is what is about to run.
func (a *app) actual(ctx context.Context, flags verifyFlags) (*grant.Bound, error) {
	if flags.bound != "" {
		text, err := os.ReadFile(flags.bound)
		if err != nil {
			return nil, fmt.Errorf("read the fields of the binding: %w", err)
		}
		var bound grant.Bound
		if err := strictjson.Unmarshal(text, &bound); err != nil {
			return nil, fmt.Errorf("read the fields of the binding: %w", err)
		}
		return &bound, nil
	}
	text, err := os.ReadFile(flags.call)
	if err != nil {
		return nil, fmt.Errorf("read the call: %w", err)
	}
	call, err := strictjson.DecodeCall(text, true)
	if err != nil {
		return nil, fmt.Errorf("read the call: %w", err)
	}
	facts, err := a.observe(ctx, call)
	if err != nil {
		return nil, err
	}
	bound, err := approvals.BindCall(&facts, flags.host, flags.node, nil)
	if err != nil {
		return nil, fix(fmt.Errorf("it is unclear what exactly is about to run: %w", err), "name the program so that it can be found, and set --host")
	}
	return bound, nil
}

// observe analyzes a call on this machine. If a policy is named, it looks for programs where
// that policy says.
func (a *app) observe(ctx context.Context, call gavel.Call) (gavel.Facts, error) {
	if a.policy == "" {
		observer, err := a.analyzer()
		if err != nil {
			return gavel.Facts{}, err
		}
		return observer.Analyze(ctx, call, nil), nil
	}
	pdp, err := a.load(ctx, a.policy)
	if err != nil {
		return gavel.Facts{}, err
	}
	return pdp.Observe(ctx, call)
}
