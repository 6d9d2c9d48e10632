package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// desk identifies the server and the operator.
type desk struct {
	state, server, token, as string
	own                      string // token file of the state directory; "" is approve.token
}

func (d *desk) flags(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&d.state, "state", "", "state directory of gavel serve (default: $XDG_STATE_HOME/gavel)")
	cmd.PersistentFlags().StringVar(&d.server, "server", "", "URL of gavel serve (default: the socket in the state directory)")
	cmd.PersistentFlags().StringVar(&d.token, "token", "", "file with the token, or - for standard input (default: the token in the state directory of gavel serve)")
	cmd.PersistentFlags().StringVar(&d.as, "as", "", "name of the operator, whose token is tokens/approve.NAME.token")
}

// open sends a request and returns the body of the answer. A server error carries the server's
// own advice.
func (d *desk) open(ctx context.Context, a *app, method, path string, body []byte) (io.ReadCloser, error) {
	flags := serveFlags{state: d.state}
	if d.server == "" || d.token == "" {
		if err := a.findState(&flags); err != nil {
			return nil, err
		}
	}
	token, err := d.readToken(a, flags.state)
	if err != nil {
		return nil, err
	}
	client, base := http.DefaultClient, strings.TrimSuffix(d.server, "/")
	if base == "" {
		socket := filepath.Join(flags.state, "gavel.sock")
		client, base = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}}, "http://localhost"
	}
	request, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fix(err, "give --server a URL such as http://127.0.0.1:8181")
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return nil, fix(fmt.Errorf("reach gavel serve: %w", err), "start it, or say with --state or --server where it runs")
	}
	if answer.StatusCode == http.StatusOK {
		return answer.Body, nil
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	return nil, refused(answer)
}

// refused is an error reported by the server, in its own words.
func refused(answer *http.Response) error {
	var body struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
			Fix     string `json:"fix"`
		} `json:"error"`
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxLine))
	if err != nil || json.Unmarshal(text, &body) != nil || body.Error.Message == "" {
		return fmt.Errorf("gavel serve answered with %s", answer.Status)
	}
	return fix(fmt.Errorf("%s (%s)", body.Error.Message, body.Error.Code), body.Error.Fix)
}
