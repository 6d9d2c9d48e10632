package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/identity"
	"gavel/internal/outgoing"
	"gavel/internal/private"
	"gavel/verifiers/receiver"
)

// verifierServeFlags say where a verifier listens, and what it checks.
type verifierServeFlags struct {
	listen, cert, key          string
	secret, previous, response string // files
}

func (a *app) verifierServeCommand() *cobra.Command {
	var flags verifierServeFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Act as a verifier: answer another Gavel's requests by a policy of its own",
		Long: `Answer the verifier webhook of another Gavel (tools.verifier.webhook). Each request must be
signed and recent; a repeated request gets the same answer. The policy of this command
decides: allow stays allow; ask and deny become deny. It sees the parameters as they were
sent, without what was redacted.

Without --tls-cert it listens on loopback only.`,
		Example: `  gavel verifier serve --policy rules --secret-file secret
  gavel verifier serve --policy rules --secret-file secret --listen 0.0.0.0:8443 --tls-cert v.pem --tls-key v.key`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.verifierServe(cmd.Context(), flags) },
	}
	a.addPolicy(cmd)
	cmd.Flags().StringVar(&flags.listen, "listen", "127.0.0.1:8282", "TCP address; port 0 picks a free port")
	cmd.Flags().StringVar(&flags.cert, "tls-cert", "", "certificate, in PEM; reloaded when it changes")
	cmd.Flags().StringVar(&flags.key, "tls-key", "", "its key, in PEM, readable by this user only")
	cmd.Flags().StringVar(&flags.secret, "secret-file", "", "file with the key that signs requests, with the mode 0600 (required)")
	cmd.Flags().StringVar(&flags.previous, "previous-secret-file", "", "file with the old key, while keys are rotated")
	cmd.Flags().StringVar(&flags.response, "response-secret-file", "", "file with the key that signs answers (responseSecret of the other side)")
	return cmd
}

func (a *app) verifierServe(ctx context.Context, flags verifierServeFlags) error {
	if flags.secret == "" {
		return fix(errors.New("--secret-file is missing"), "write a secret of 32 random bytes into a file with the mode 0600, and name it")
	}
	var keys [3]outgoing.Key
	for i, name := range []string{flags.secret, flags.previous, flags.response} {
		var err error
		if keys[i], err = readKey(name); err != nil {
			return err
		}
	}
	pdp, err := a.load(ctx, a.policy)
	if err != nil {
		return err
	}
	answers, err := receiver.New(receiver.Config{Keys: keys[:2], Answer: keys[2], Now: a.now, Decide: func(ctx context.Context, call gavel.Call) (bool, string) {
		if err := call.Validate(true); err != nil {
			return false, err.Error()
		}
		d := pdp.Decide(ctx, call, gavel.Options{RequestedBy: "webhook"})
		if d.Effect == gavel.Allow {
			return true, ""
		}
		return false, d.Reasons[0].Message + " (" + d.Reasons[0].Code + ")"
	}})
	if err != nil {
		return err
	}
	return a.serveVerifier(ctx, flags, answers)
}

// serveVerifier answers until ctx ends.
func (a *app) serveVerifier(ctx context.Context, flags verifierServeFlags, answers http.Handler) error {
	server := &http.Server{Handler: answers, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(a.logger().Handler(), slog.LevelWarn)}
	if flags.cert != "" || flags.key != "" {
		secure, err := identity.OpenTLS(flags.cert, flags.key, "", a.logger())
		if err != nil {
			return fix(err, "give --tls-cert and --tls-key")
		}
		server.TLSConfig = secure.Config()
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", flags.listen)
	if err != nil {
		return unusable(fmt.Errorf("listen on %s: %w", flags.listen, err))
	}
	if at, ok := listener.Addr().(*net.TCPAddr); server.TLSConfig == nil && (!ok || !at.IP.IsLoopback()) {
		_ = listener.Close() // nothing was served
		return fix(fmt.Errorf("%s is not a loopback address, and there is no certificate", flags.listen), "give --tls-cert and --tls-key")
	}
	a.printf("answering on %s\n", listener.Addr())
	ended := make(chan error, 1)
	go func() {
		if server.TLSConfig != nil {
			ended <- server.ServeTLS(listener, "", "")
			return
		}
		ended <- server.Serve(listener)
	}()
	select {
	case err = <-ended:
	case <-ctx.Done():
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = server.Shutdown(grace)
		<-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// readKey reads a secret. No name is a zero key.
func readKey(name string) (outgoing.Key, error) {
	if name == "" {
		return outgoing.Key{}, nil
	}
	text, err := private.ReadFile(name, 4<<10)
	if err != nil {
		return outgoing.Key{}, err
	}
	secret := strings.TrimRight(string(text), "\r\n")
	if secret == "" {
		return outgoing.Key{}, fmt.Errorf("%s is empty", name)
	}
	key, err := outgoing.ParseKey(secret)
	if err != nil {
		return key, fmt.Errorf("%s: %w", name, err)
	}
	return key, nil
}
