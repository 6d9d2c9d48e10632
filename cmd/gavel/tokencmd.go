package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/identity"
	"gavel/internal/private"
	"gavel/internal/strictjson"
)

func (a *app) tokenCommand() *cobra.Command {
	var state string
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Create, list and revoke tokens of agents, gateways, people and administrators",
		Long: `Create, list and revoke tokens. DIR/credentials.json has their digests; a
running gavel serve applies a change from the next request on, without a restart.

A token for an agent speaks for that agent only, and may make only the claims
that --claim names: model, group, sender, depth, parents, sandboxed, environment.`,
		Example: `  gavel token create coder                                 for the agent coder
  gavel token create ci --agent 'ci-*' --claim model --expires 30d --out ci.token
  gavel token create slack --scope gateway --agent main,support
  gavel token create alice --scope approve                 for the person alice
  gavel token create build-box --scope gateway --certificate build.example.com
  gavel token list
  gavel token revoke coder`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&state, "state", "", "state directory of gavel serve (default: $XDG_STATE_HOME/gavel)")
	cmd.AddCommand(a.tokenCreate(&state), a.tokenList(&state), a.tokenRevoke(&state))
	return cmd
}

// credentials opens the credential store of the state directory.
func (a *app) credentials(state string) (*identity.Store, error) {
	flags := serveFlags{state: state}
	if err := a.stateDirectory(&flags); err != nil {
		return nil, err
	}
	return identity.Open(flags.state, a.now, slog.New(slog.DiscardHandler), nil), nil
}

func (a *app) tokenCreate(state *string) *cobra.Command {
	var c identity.Credential
	var expires, out string
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Create a token and print it, once",
		Long:  "Create a token and print it, once. Its scope says what it permits:\n\n" + scopeHelp(),
		Example: `  gavel token create coder --out coder.token               for the agent coder
  gavel token create slack --scope gateway --agent main,support
  gavel token create alice --scope approve --expires 52w   for the person alice`,
		Args: exactlyOne("name", ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Name = args[0]
			if err := a.complete(&c, expires); err != nil {
				return err
			}
			return a.createToken(cmd.Context(), *state, c, out)
		},
	}
	flags := cmd.Flags()
	flags.StringVar((*string)(&c.Scope), "scope", string(gavel.ScopeDecide), gavel.OneOf(gavel.TokenScopes(0)))
	flags.StringSliceVar(&c.Agents, "agent", nil, "agents that it speaks for; * matches any characters (default: NAME; for a gateway, all)")
	flags.StringSliceVar(&c.Sessions, "session", nil, "parts that session keys must begin with, such as agent:coder:web (default: any)")
	flags.StringSliceVar(&c.Claims, "claim", nil, "claims that it may make about a call (default: none; for a gateway, all)")
	flags.StringVar(&c.Person, "person", "", "the person it belongs to (default for the scope approve: NAME)")
	flags.StringVar(&c.Certificate, "certificate", "", "name of a client certificate that is the credential instead of a token")
	flags.StringVar(&expires, "expires", "", "time after which it expires, such as 12h, 30d or 52w (default: never)")
	flags.StringVar(&out, "out", "", "new file for the token, readable by this user only (default: standard output)")
	return cmd
}

// scopeHelp formats the table of token scopes for a terminal.
func scopeHelp() string {
	var rows [][]string
	for _, row := range gavel.Scopes() {
		if row.Token {
			rows = append(rows, []string{"  " + string(row.Scope), strings.ReplaceAll(row.For, "`", "")})
		}
	}
	return strings.TrimRight(aligned(rows), "\n")
}

// complete adds what a scope implies.
func (a *app) complete(c *identity.Credential, expires string) error {
	switch c.Scope {
	case gavel.ScopeDecide, gavel.ScopeRun:
		if len(c.Agents) == 0 {
			c.Agents = []string{c.Name}
		}
	case gavel.ScopeGateway:
		if len(c.Agents) == 0 {
			c.Agents = []string{"*"}
		}
		if len(c.Claims) == 0 {
			c.Claims = gavel.AllClaims()
		}
	case gavel.ScopeApprove:
		if c.Person == "" {
			c.Person = c.Name
		}
	}
	if expires == "" {
		return nil
	}
	life, err := lifetime(expires)
	if err != nil {
		return err
	}
	c.Expires = a.now().UTC().Add(life).Truncate(time.Second)
	return nil
}

// lifetime parses durations such as 90m, 12h, 30d and 52w.
func lifetime(text string) (time.Duration, error) {
	wrong := fix(fmt.Errorf("%q is not a length of time", text), "give a whole number and a unit: 90m, 12h, 30d or 52w")
	parts := regexp.MustCompile(`^([0-9]{1,6})([mhdw])$`).FindStringSubmatch(text)
	if parts == nil {
		return 0, wrong
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil || n == 0 {
		return 0, wrong
	}
	unit := map[string]time.Duration{"m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[parts[2]]
	if time.Duration(n) > 100*366*24*time.Hour/unit {
		return 0, fix(fmt.Errorf("%q is longer than a hundred years", text), "leave it out for a token that does not expire")
	}
	return time.Duration(n) * unit, nil
}

func (a *app) createToken(ctx context.Context, state string, c identity.Credential, out string) error {
	store, err := a.credentials(state)
	if err != nil {
		return err
	}
	token, err := store.Create(ctx, c)
	if err != nil {
		return fix(err, "see gavel token create --help")
	}
	if out != "" && token != "" {
		if err := private.CreateFile(out, []byte(token+"\n"), 0o600); err != nil {
			_, revoked := store.Revoke(ctx, c.Name) // it has not been handed out
			if revoked != nil {
				return fix(fmt.Errorf("write the token: %w; and it could not be revoked: %w", err, revoked), "run gavel token revoke "+c.Name)
			}
			return fix(fmt.Errorf("write the token: %w", err), "name a file that does not exist yet, with --out")
		}
		token = ""
	}
	if a.json() {
		return strictjson.Write(a.stdout, struct {
			Name    string    `json:"name"`
			Token   string    `json:"token,omitempty"`
			File    string    `json:"file,omitempty"`
			Expires time.Time `json:"expires,omitzero"`
		}{c.Name, token, out, c.Expires})
	}
	if token != "" {
		_, err = io.WriteString(a.stdout, token+"\n")
		a.complain(fmt.Sprintf("this is the only time that the token of %s is shown", c.Name), "")
		return err
	}
	if out != "" {
		a.printf("the token of %s is in %s\n", clean(c.Name), clean(out))
	} else {
		a.printf("%s is the client with the certificate %s\n", clean(c.Name), clean(c.Certificate))
	}
	return nil
}

func (a *app) tokenRevoke(state *string) *cobra.Command {
	return &cobra.Command{Use: "revoke NAME", Short: "Revoke a token, from its next request on", Args: exactlyOne("name", ""),
		Example: "  gavel token revoke coder",
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := a.credentials(*state)
			if err != nil {
				return err
			}
			if _, err := store.Revoke(cmd.Context(), args[0]); err != nil {
				return fix(err, "see gavel token list for the names; to revoke a token of tokens/, delete its file")
			}
			if a.json() {
				return strictjson.Write(a.stdout, struct {
					Name    string `json:"name"`
					Revoked bool   `json:"revoked"`
				}{args[0], true})
			}
			a.printf("the token of %s is revoked, from its next request on\n", clean(args[0]))
			return nil
		}}
}

func (a *app) tokenList(state *string) *cobra.Command {
	return &cobra.Command{Use: "list", Short: "List tokens, without their secrets", Args: none,
		Example: "  gavel token list",
		RunE: func(*cobra.Command, []string) error {
			store, err := a.credentials(*state)
			if err != nil {
				return err
			}
			list, err := store.List()
			if err != nil {
				return err
			}
			return a.showTokens(list)
		}}
}

// listedToken is the JSON form of a listed credential.
type listedToken struct {
	Name        string      `json:"name"`
	Scope       gavel.Scope `json:"scope"`
	Person      string      `json:"person,omitempty"`
	Certificate string      `json:"certificate,omitempty"`
	Agents      []string    `json:"agents,omitempty"`
	Sessions    []string    `json:"sessions,omitempty"`
	Claims      []string    `json:"claims,omitempty"`
	Created     time.Time   `json:"created"`
	Expires     time.Time   `json:"expires,omitzero"`
	Expired     bool        `json:"expired"`
	LastUse     time.Time   `json:"lastUse,omitzero"`
}

func (a *app) showTokens(list []identity.ListedCredential) error {
	tokens := make([]listedToken, len(list))
	for i, c := range list {
		tokens[i] = listedToken{c.Name, c.Scope, c.Person, c.Certificate, c.Agents, c.Sessions, c.Claims, c.Created, c.Expires, c.Expired(a.now()), c.LastUse}
	}
	if a.json() {
		return strictjson.Write(a.stdout, map[string]any{"tokens": tokens})
	}
	if len(tokens) == 0 {
		a.printf("there are no tokens besides tokens/*.token\n")
		return nil
	}
	rows := [][]string{{"NAME", "SCOPE", "FOR", "EXPIRES", "LAST USE", "CLAIMS"}}
	for i := range tokens {
		t := &tokens[i]
		whom := strings.Join(t.Agents, ",")
		if t.Person != "" {
			whom = t.Person
		}
		if len(t.Sessions) > 0 {
			whom += " in " + strings.Join(t.Sessions, ",")
		}
		if t.Certificate != "" {
			whom += " (certificate " + t.Certificate + ")"
		}
		expires := day(t.Expires, "never")
		if t.Expired {
			expires = "expired"
		}
		rows = append(rows, []string{t.Name, string(t.Scope), whom, expires, day(t.LastUse, "never"), strings.Join(t.Claims, ",")})
	}
	a.printf("%s", aligned(rows))
	return nil
}

func day(t time.Time, none string) string {
	if t.IsZero() {
		return none
	}
	return t.UTC().Format("2006-01-02 15:04")
}
