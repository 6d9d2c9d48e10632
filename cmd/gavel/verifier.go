package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/http/httptrace"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"gavel"
	"gavel/bundles"
	"gavel/internal/nearest"
	"gavel/internal/strictjson"
	"gavel/verifiers"
	"gavel/verifiers/webhook"
)

func (a *app) verifierCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verifier",
		Short: "Test the verifiers of a policy, or run a verifier",
		Long: `A verifier is an outside authority that must agree to a call before it runs
(tools.verifier). See docs/verifier.md.`,
		Example: "  gavel verifier test --policy policy\n  gavel verifier serve --policy rules --secret-file secret",
		Args:    unknownCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.verifierTestCommand(), a.verifierServeCommand())
	return cmd
}

func (a *app) verifierTestCommand() *cobra.Command {
	tool := "exec"
	cmd := &cobra.Command{
		Use:   "test",
		Short: "Send a marked probe to each verifier of a policy, and show what happens",
		Long: `Send a probe to each verifier of a policy and show each step: the addresses of its host
name, the TLS connection, the signatures, how long it took, and the answer. A probe is
marked with "probe": true, and no tool runs, whatever the answer is.

Exit codes: 0 every verifier answered, with allow or deny; 1 one did not, or there is none.`,
		Example: "  gavel verifier test --policy policy\n  gavel verifier test --policy policy --tool write --output json",
		Args:    none,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.verifierTest(cmd.Context(), tool) },
	}
	a.addPolicy(cmd)
	cmd.Flags().StringVar(&tool, "tool", "exec", "the tool that the probe names")
	return cmd
}

// probeResult is the outcome of the probe of one verifier.
type probeResult struct {
	Path       string   `json:"path"`
	Addresses  []string `json:"addresses,omitempty"` // of its host name
	TLS        string   `json:"tls,omitempty"`       // version and certificate
	Signatures string   `json:"signatures"`
	Outcome    string   `json:"outcome"`
	Detail     string   `json:"detail,omitempty"`
	Status     int      `json:"status,omitempty"`
	Attempts   int      `json:"attempts"`
	LatencyMs  int64    `json:"latencyMs"`
	Mistakes   []string `json:"mistakes"` // each with what to do
}

func (a *app) verifierTest(ctx context.Context, tool string) error {
	snapshot, err := bundles.Load(ctx, a.source(a.policy, nil))
	if err != nil {
		return located(a.policy, err)
	}
	settings, err := snapshot.VerifierSettings(ctx)
	if err != nil {
		return err
	}
	if len(settings.Webhooks)+len(settings.Telegrams) == 0 {
		return fix(errors.New("the policy has no verifier"), "set tools.verifier.webhook.url; docs/verifier.md has an example")
	}
	if tool, err = toolOf(tool, settings.Tools); err != nil {
		return err
	}
	var results []probeResult
	for _, path := range slices.Sorted(maps.Keys(settings.Webhooks)) {
		result, err := a.probe(ctx, snapshot, path, settings.Webhooks[path], tool)
		if err != nil {
			return located(a.policy, placed(snapshot, err))
		}
		results = append(results, result)
	}
	for _, path := range slices.Sorted(maps.Keys(settings.Telegrams)) {
		result, err := a.probeTelegram(ctx, snapshot, path, settings.Telegrams[path], tool)
		if err != nil {
			return located(a.policy, placed(snapshot, err))
		}
		results = append(results, result)
	}
	if slices.ContainsFunc(results, func(p probeResult) bool {
		return p.Outcome != gavel.VerifierAllowed && p.Outcome != gavel.VerifierDenied
	}) {
		a.failed()
	}
	if a.json() {
		return strictjson.Write(a.stdout, results)
	}
	for _, result := range results {
		a.showProbe(result)
	}
	return nil
}

// toolOf returns the canonical name of a tool, as questions have it.
func toolOf(name string, known map[string]string) (string, error) {
	folded := strings.ToLower(strings.TrimSpace(name))
	if tool, ok := known[folded]; ok {
		return tool, nil
	}
	return "", fix(fmt.Errorf("unknown tool %q%s", name, meant(nearest.Name(folded, slices.Collect(maps.Keys(known))))),
		"name a tool such as exec, write or web_fetch; a tool of a plugin or of an MCP server is asked about in the same way")
}

// probe asks one verifier about a made-up call.
func (a *app) probe(ctx context.Context, snapshot *bundles.Snapshot, path string, settings gavel.WebhookSettings, tool string) (probeResult, error) {
	client, err := webhook.Open(ctx, path, settings, webhook.Environment{Getenv: a.getenv, Now: a.now})
	if err != nil {
		return probeResult{}, err
	}
	defer client.Close()
	result := probeResult{Path: path, Signatures: signatures(settings), Mistakes: []string{}}
	limit := time.Duration(settings.TimeoutSeconds) * time.Second
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSDone: func(info httptrace.DNSDoneInfo) {
			result.Addresses = nil
			for _, address := range info.Addrs {
				result.Addresses = append(result.Addresses, address.String())
			}
		},
		TLSHandshakeDone: func(state tls.ConnectionState, err error) {
			if err == nil && len(state.PeerCertificates) > 0 {
				result.TLS = fmt.Sprintf("%s, certificate valid until %s", tls.VersionName(state.Version), state.PeerCertificates[0].NotAfter.UTC().Format(time.DateOnly))
			}
		},
	})
	limited, cancel := context.WithTimeoutCause(traced, limit, gavel.ErrVerifierTime)
	defer cancel()
	question, err := a.probeQuestion(snapshot, tool, limit)
	if err != nil {
		return result, err
	}
	reply := result.ask(limited, client, question)
	if result.TLS == "" && settings.AllowHTTP != "" && reply.Status != 0 {
		result.TLS = "none: http, which is possible on this machine only"
	}
	result.Mistakes = mistakes(settings, reply)
	return result, nil
}

// ask asks a verifier, and notes the answer.
func (p *probeResult) ask(ctx context.Context, verifier gavel.Verifier, question *gavel.VerifierQuestion) gavel.VerifierReply {
	began := time.Now()
	reply := verifier.Ask(ctx, question)
	p.LatencyMs = time.Since(began).Milliseconds()
	p.Outcome, p.Detail, p.Status, p.Attempts = reply.Outcome, reply.Detail, reply.Status, reply.Attempts
	return reply
}

// probeQuestion returns a question about a made-up call.
func (a *app) probeQuestion(snapshot *bundles.Snapshot, tool string, limit time.Duration) (*gavel.VerifierQuestion, error) {
	params := map[string]any{"command": "true"}
	digest, err := verifiers.Digest(params)
	return &gavel.VerifierQuestion{RequestID: uuid.NewString(), At: a.now(), ExpiresAt: a.now().Add(limit), Tool: tool, Params: params,
		Agent: "gavel-probe", Session: "gavel-probe", Provider: "cli", Digest: digest, Redacted: []string{}, Revision: snapshot.Revision(), Probe: true}, err
}

func signatures(settings gavel.WebhookSettings) string {
	switch {
	case settings.Secret.IsZero():
		return "requests are not signed"
	case settings.PreviousSecret.IsZero() && settings.ResponseSecret.IsZero():
		return "requests are signed with one key, answers are not"
	case settings.ResponseSecret.IsZero():
		return "requests are signed with two keys, answers are not"
	}
	return "requests and answers are signed"
}

// mistakes says what is wrong, and what to do.
func mistakes(settings gavel.WebhookSettings, reply gavel.VerifierReply) []string {
	list := []string{}
	fixes := map[string]string{
		gavel.VerifierUnreachable: "it cannot be reached: start it, or correct url, tls.ca or allowAddresses",
		gavel.VerifierTimeout:     "it did not answer in time: make it faster, or raise timeout",
		gavel.VerifierRedirect:    "it redirects, which is never followed: set url to the address that answers itself",
		gavel.VerifierOversize:    "its answer is larger than 64 KiB: answer with decision, reason and requestId only",
		gavel.VerifierMalformed:   `its answer cannot be read: answer with Content-Type application/json and {"decision":"allow"} or {"decision":"deny"}`,
		gavel.VerifierMismatch:    "its answer is not for this request: repeat the requestId, and sign with the key of responseSecret",
		gavel.VerifierStatus:      "it answered with an HTTP error: read its log; 401 often means that secret is another one there",
	}
	if text, ok := fixes[reply.Outcome]; ok {
		list = append(list, text)
	}
	if settings.Secret.IsZero() {
		list = append(list, "requests are not signed, so anyone can send them: set secret")
	}
	return list
}

func (a *app) showProbe(p probeResult) {
	a.printf("%s\n", p.Path)
	if len(p.Addresses) > 0 {
		a.printf("  name        leads to %s\n", clean(strings.Join(p.Addresses, ", ")))
	}
	if p.TLS != "" {
		a.printf("  tls         %s\n", clean(p.TLS))
	}
	a.printf("  signatures  %s\n", p.Signatures)
	a.printf("  answer      %s in %d ms, attempts: %d", p.Outcome, p.LatencyMs, p.Attempts)
	if p.Status != 0 {
		a.printf(", status %d", p.Status)
	}
	if p.Detail != "" {
		a.printf(": %s", clean(p.Detail))
	}
	a.printf("\n")
	for _, mistake := range p.Mistakes {
		a.printf("  fix         %s\n", mistake)
	}
}
