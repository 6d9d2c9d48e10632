package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/identity"
	"gavel/internal/rescue"
	"gavel/pauses"
	"gavel/server"
	"gavel/sessions"
)

// saveUsesEvery is how often the last use of each credential is saved.
const saveUsesEvery = time.Minute

// identityFlags are the flags that say which callers the server accepts, and its TLS files.
type identityFlags struct {
	shared            []string // agents of the shared decide token
	cert, key, client string   // of TLS
	oidc              identity.OIDCConfig
}

func (f *identityFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.shared, "shared-decide-agents", []string{"main", "coder"},
		"agents for which decide.token, and the unix socket without a token, may ask; \"\" for none")
	flags.StringVar(&f.cert, "tls-cert", "", "certificate for --listen, in PEM; reloaded when it changes")
	flags.StringVar(&f.key, "tls-key", "", "its key, in PEM, readable by this user only")
	flags.StringVar(&f.client, "client-ca", "", "authorities of client certificates, in PEM")
	flags.StringVar(&f.oidc.Issuer, "oidc-issuer", "", "issuer of people's tokens, such as https://id.example.com")
	flags.StringVar(&f.oidc.Audience, "oidc-audience", "", "audience that these tokens must name")
	flags.StringVar(&f.oidc.Keys, "oidc-jwks", "", "keys of the issuer: a file, or an https URL")
	flags.StringVar(&f.oidc.NameClaim, "oidc-name-claim", "email", "claim that names the person")
	flags.StringVar(&f.oidc.GroupsClaim, "oidc-groups-claim", "groups", "claim that lists the person's groups")
	flags.StringSliceVar(&f.oidc.Approvers, "oidc-approvers", nil, "groups whose people may answer questions")
}

// identities are the callers that a server accepts, with their pauses and sessions.
type identities struct {
	shared []string // agents of the shared decide token
	files  *server.TokenFiles
	store  *identity.Store
	oidc   *identity.OIDC // nil without one
	tls    *identity.TLS  // nil without it
	pauses *pauses.Store
	// sessions is what directives have set.
	sessions *sessions.Store
}

// open opens the files with credentials and pauses.
func (i *identities) open(flags serveFlags, now func() time.Time, logger *slog.Logger, changes *ledgers) (err error) {
	f := &flags.identity
	i.shared = []string{}
	for _, agent := range f.shared {
		if agent = gavel.Fold(agent); agent != "" {
			i.shared = append(i.shared, agent)
		}
	}
	if i.files, err = server.OpenTokenFiles(flags.state, i.shared, !flags.sharedApprove, logger, changes.onTokens); err != nil {
		return err
	}
	i.store = identity.Open(flags.state, now, logger, changes.onCredentials)
	if err := i.store.Problem(); err != nil {
		return err
	}
	i.pauses = pauses.Open(flags.state, now, logger, changes.onPauses)
	i.sessions = sessions.Open(flags.state, now, logger)
	i.sessions.Observe(&gavel.Call{}) // it logs problems
	_, _ = i.pauses.List()            // it logs problems, and records changes that others made
	if f.cert != "" || f.key != "" || f.client != "" {
		if i.tls, err = identity.OpenTLS(f.cert, f.key, f.client, logger); err != nil {
			return fix(err, "give --tls-cert and --tls-key, and --client-ca for client certificates")
		}
	}
	if f.oidc.Issuer != "" || f.oidc.Audience != "" || f.oidc.Keys != "" || len(f.oidc.Approvers) > 0 {
		if i.oidc, err = identity.OpenOIDC(f.oidc, now, logger); err != nil {
			return fix(err, "give --oidc-issuer, --oidc-audience, --oidc-jwks and --oidc-approvers")
		}
	}
	return nil
}

// sources returns what recognises tokens and certificates, in the order in which it is asked.
func (i *identities) sources() []gavel.Identities {
	list := []gavel.Identities{i.files, i.store}
	if i.oidc != nil {
		list = append(list, i.oidc)
	}
	return list
}

// holds reports whether a credential is still valid, by its name and issue. No file here lists
// processes on the unix socket, and people of the identity provider.
func (i *identities) holds(credential, issue string) bool {
	scope, _ := gavel.ScopeOf(credential)
	switch {
	case !scope.ForTokens():
		return true
	case issue == gavel.IssueOfProvider:
		return i.oidc != nil
	}
	return i.files.Holds(credential, issue) || i.store.Holds(credential, issue)
}

// follow keeps identities up to date until ctx ends. The returned function waits for the end.
func (i *identities) follow(ctx context.Context, logger *slog.Logger) (wait func()) {
	var running sync.WaitGroup
	running.Go(func() {
		rescue.Keep(ctx, logger, "record uses of credentials", goOnAfter, func() {
			for {
				select {
				case <-ctx.Done():
				case <-time.After(saveUsesEvery):
				}
				_ = i.store.Problem() // look at credentials that nobody uses, too
				if err := i.store.SaveUses(); err != nil {
					logger.Warn("uses of credentials are not recorded", "error", err)
				}
				if ctx.Err() != nil {
					return
				}
			}
		})
	})
	if i.oidc != nil {
		running.Go(func() {
			rescue.Keep(ctx, logger, "fetch the issuer's keys", goOnAfter, func() { i.oidc.Run(ctx) })
		})
	}
	return running.Wait
}

// onHangup calls reload for each SIGHUP until stop is called. SIGHUP then no longer ends the
// process.
func onHangup(reload func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	done := make(chan struct{})
	signal.Notify(signals, syscall.SIGHUP)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-signals:
				reload()
			}
		}
	})
	return func() {
		signal.Stop(signals)
		close(done)
		running.Wait()
	}
}

// hangup reloads what comes from files. Tokens, pauses and certificates are compared with their
// files at each use; here their problems are reported at once.
func (s *service) hangup(ctx context.Context) {
	if !s.complete.Load() {
		return // everything has just been loaded
	}
	s.logger.Info("SIGHUP: reloading the policy")
	_ = s.store.Reload(ctx)   // the status and the log report failures
	_ = s.who.store.Problem() // it is logged
	if s.who.oidc != nil {
		s.who.oidc.Refresh()
	}
}
