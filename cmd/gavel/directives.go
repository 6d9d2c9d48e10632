package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"gavel"
)

// messageFlags are the flags that describe who wrote a message, and where.
type messageFlags struct {
	agent, session, sender string
	owner, mentioned       bool
}

func (a *app) directivesCommand() *cobra.Command {
	to := desk{own: "gateway.token"}
	var flags messageFlags
	cmd := &cobra.Command{
		Use:   "directives [TEXT|-]",
		Short: "Carry out the directives of a message: /exec, /elevated and /approve",
		Long: `Carry out the directives of a message, as a gateway does: /exec, /elevated or /elev, and
/approve. It prints the reply to the sender or, with --output json, the outcome of each
directive and the text without them. A sender who may not give a directive is told every
setting that forbids it.

The command talks to a running gavel serve with the token of a gateway:
DIR/tokens/gateway.token. The exit code is 2 if a directive was refused.`,
		Example: `  gavel directives --agent main --session agent:main:main --sender discord:123456789 '/exec ask=always'
  gavel directives --agent main --session agent:main:main --sender discord:123456789 /exec
  echo '/elevated on' | gavel directives --agent main --session agent:main:main --sender discord:123456789 --owner -`,
		Args: atMostOne("text"),
		RunE: func(cmd *cobra.Command, args []string) error {
			written, err := flags.message(cmd.InOrStdin(), first(args))
			if err != nil {
				return err
			}
			body, err := json.Marshal(written)
			if err != nil {
				return err
			}
			answer, text, err := to.direct(cmd.Context(), a, body)
			if err != nil {
				return err
			}
			for i := range answer.Directives {
				if answer.Directives[i].Action == gavel.DirectiveRefuse {
					a.code = exitDenied
				}
			}
			switch {
			case a.json():
				a.printf("%s\n", bytes.TrimSpace(text))
			case answer.Reply == "":
				a.printf("there is no directive in the message\n")
			default:
				for line := range strings.Lines(answer.Reply) {
					a.printf("%s\n", clean(strings.TrimSuffix(line, "\n")))
				}
			}
			return nil
		},
	}
	to.flags(cmd)
	cmd.Flags().StringVar(&flags.agent, "agent", "main", "id of the agent")
	cmd.Flags().StringVar(&flags.session, "session", "", "session key, such as agent:main:main")
	cmd.Flags().StringVar(&flags.sender, "sender", "", "who wrote the message: channel and id, such as discord:123456789")
	cmd.Flags().BoolVar(&flags.owner, "owner", false, "the sender is the owner of the agent")
	cmd.Flags().BoolVar(&flags.mentioned, "mentioned", false, "the message was sent in a group and mentions the agent")
	return cmd
}

// direct posts a message, and returns the answer with its text.
func (d *desk) direct(ctx context.Context, a *app, body []byte) (answer gavel.DirectivesAnswer, text []byte, err error) {
	from, err := d.open(ctx, a, http.MethodPost, "/v1/directives", body)
	if err != nil {
		return answer, nil, err
	}
	defer from.Close() //nolint:errcheck // it was only read
	if text, err = io.ReadAll(from); err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		err = fmt.Errorf("read the answer: %w", err)
	}
	return answer, text, err
}

// message returns the message that the flags and a text describe. If the text is - or "", it is read
// from standard input.
func (f *messageFlags) message(stdin io.Reader, text string) (gavel.IncomingMessage, error) {
	if text == "" || text == "-" {
		read, err := io.ReadAll(io.LimitReader(stdin, maxLine))
		if err != nil {
			return gavel.IncomingMessage{}, err
		}
		text = string(read)
	}
	written := gavel.IncomingMessage{Text: text, Mentioned: f.mentioned, Call: gavel.Call{Agent: gavel.Agent{ID: f.agent}, Session: gavel.Session{Key: f.session}}}
	if f.sender != "" || f.owner {
		channel, id, _ := strings.Cut(f.sender, ":")
		if channel == "" || id == "" {
			return gavel.IncomingMessage{}, fix(errors.New("--sender names no channel and id"), "give both, such as discord:123456789")
		}
		written.Call.Sender = &gavel.Sender{Channel: channel, ID: id, Owner: f.owner}
	}
	return written, nil
}
