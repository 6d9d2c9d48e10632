package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/internal/strictjson"
)

func (a *app) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [FILE|-]",
		Short: "Show how a call is decided, layer by layer",
		Long: `Show how each call is decided: what was observed, what every layer said, the
decision, the line of the configuration that decided, and for a refused call the
smallest edit of the configuration that would permit it (gavel fix). Verifiers are not
asked: it shows which would be asked, which setting selects the tool, and what would be
hidden from them.

The input is one call, or one call per line. The exit code is 0 when every call was
explained, whatever the decision, and 1 otherwise.`,
		Example: `  gavel explain call.json
  gavel explain --policy policy calls.jsonl
  gavel explain --policy policy --no-sandbox --exec-ask off call.json
  echo '{"agent":{"id":"coder"},"tool":{"name":"exec","params":{"command":"wc -l < a"}}}' | gavel explain`,
		Args: atMostOne("file"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.explain(cmd.Context(), first(args)) },
	}
	a.addPolicy(cmd)
	a.addOverrides(cmd)
	return cmd
}

func (a *app) explain(ctx context.Context, file string) error {
	in, err := a.open(file, "gavel explain call.json")
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	calls, err := a.readCalls(in)
	if err != nil {
		return err
	}
	pdp, err := a.load(ctx, a.policy)
	if err != nil {
		return err
	}
	for i, call := range calls {
		decision := pdp.Decide(ctx, call, gavel.Options{Explain: true, Change: true, ChangeTime: fixTime, RequestedBy: "cli"})
		asked, err := preview(ctx, pdp, &decision)
		if err != nil {
			return err
		}
		if a.json() {
			if err := strictjson.Write(a.stdout, explained{decision, asked}); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			a.printf("\n")
		}
		a.tree(call, decision)
		a.showPreview(asked)
	}
	return nil
}

// readCalls reads either one call that may take several lines, or one call per line. Lines that
// are not calls are reported, and make the command fail.
func (a *app) readCalls(in input) ([]gavel.Call, error) {
	text, err := readAll(in)
	if err != nil {
		return nil, err
	}
	if call, whole := oneDocument(text); whole {
		decoded, err := callIn(call)
		if err != nil {
			a.complain(lineError(in.name, 1, err))
			a.failed()
			return nil, nil
		}
		return []gavel.Call{decoded}, nil
	}
	var calls []gavel.Call
	reader := newLines(bytes.NewReader(text))
	for {
		line, err := reader.next()
		if errors.Is(err, io.EOF) {
			break
		}
		var call gavel.Call
		if err == nil {
			call, err = callIn(line)
		}
		if err != nil {
			a.complain(lineError(in.name, reader.number, err))
			a.failed()
			continue
		}
		calls = append(calls, call)
	}
	if len(calls) == 0 && a.code == exitOK {
		return nil, noCall(in.name)
	}
	return calls, nil
}

// callIn reads a call. A line of the decision log has facts instead of the call.
func callIn(text []byte) (gavel.Call, error) {
	if _, _, logged, _ := loggedFacts(text); logged {
		return gavel.Call{}, &gavel.InputError{Message: "this is a line of the decision log: it has the facts of a call, and not the call",
			Fix: "decide it again with gavel decide --explain, or give the call itself"}
	}
	if auditEvent(text) {
		return gavel.Call{}, &gavel.InputError{Message: "this is an audit event of the decision log, and not a call",
			Fix: "give a call; decisions of the log are decided again with gavel decide --explain"}
	}
	return strictjson.DecodeCall(text, true)
}

// oneDocument reports whether a text is a single document rather than one document per line:
// its first line is not a document by itself.
func oneDocument(text []byte) ([]byte, bool) {
	head, rest, _ := bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n"))
	spread := len(bytes.TrimSpace(rest)) > 0 && bytes.HasPrefix(head, []byte("{")) && !json.Valid(head) &&
		!bytes.HasSuffix(bytes.TrimSpace(head), []byte("}"))
	return text, spread
}

// readAll reads a whole input, up to 64 calls of the largest size.
func readAll(in input) ([]byte, error) {
	const most = 64 * maxLine
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", in.name, err)
	}
	if len(text) > most {
		return nil, fix(fmt.Errorf("%s is larger than %d MiB", in.name, most>>20), "use gavel decide for many calls")
	}
	return text, nil
}
