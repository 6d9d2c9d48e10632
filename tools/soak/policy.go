package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gavel"
)

const (
	changeInterval  = 500 * time.Millisecond // between changes of the policy
	brokenEvery     = 20                     // one change in this many is an invalid policy, and the last good one stays in force
	editionEvery    = 8                      // one change in this many is a new text; the others return to an earlier one
	questionTimeout = 5 * time.Second        // setting of the policy
)

// configuration is a policy with the effects of the probes.
type configuration struct {
	deny    string                  // the tool that it denies
	effects map[string]gavel.Effect // by tool
}

// configurations returns the configurations in use. They differ in the effect of every probe, so
// that a decision that mixes two of them can be recognised.
func configurations() []configuration {
	return []configuration{
		{"web_fetch", map[string]gavel.Effect{"read": gavel.Allow, "web_fetch": gavel.Deny}},
		{"read", map[string]gavel.Effect{"read": gavel.Deny, "web_fetch": gavel.Allow}},
	}
}

// probes returns the tools whose effects distinguish the configurations.
func probes() []string { return slices.Sorted(maps.Keys(configurations()[0].effects)) }

// approvalAgent is the agent whose unlisted commands need approval. Those of other agents are
// denied.
const approvalAgent = "asker"

func (c configuration) text(edition int, verifier string) string {
	return fmt.Sprintf(`# edition %d
tools:
  profile: full
  deny: [%s]
  exec:
    host: gateway
    security: allowlist
    ask: "off"
    allowlist: [/usr/bin/cat, /usr/bin/echo, /usr/bin/git, /usr/bin/grep, /usr/bin/head, /usr/bin/ls, /usr/bin/rg, /usr/bin/wc]
  verifier:
    scope: {include: [%s]}
    webhook: {url: %q, allowHttp: loopback, timeout: %d, maxWaiting: 1000}
    maxWaiting: 1000
approvals: {exec: {timeout: %d}}
agents:
  coder: {}
  main: {}
  relay: {tools: {profile: messaging}}
  %s: {exec: {ask: on-miss}}
`, edition, c.deny, verifiedTool, verifier, int(verifierTimeout.Seconds()), questionTimeout.Milliseconds(), approvalAgent)
}

// policyText returns the text of the nth change. verifier is the URL of the verifier.
func policyText(n int, verifier string) string {
	if n%brokenEvery == brokenEvery-1 {
		return "tools: {denny: [read]}\n"
	}
	all := configurations()
	return all[n%len(all)].text(n/editionEvery, verifier)
}

// installPolicy replaces a policy atomically, as an editor or a deployment does.
func installPolicy(dir, text string) error {
	name := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(name+".tmp", []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the policy: %w", err)
	}
	if err := os.Rename(name+".tmp", name); err != nil {
		return fmt.Errorf("install the policy: %w", err)
	}
	return nil
}

// changePolicy changes the policy until ctx ends.
func (s *soak) changePolicy(ctx context.Context) {
	for n := 1; pause(ctx, changeInterval); n++ {
		if err := installPolicy(s.server.policy, policyText(n, s.server.verifier.url)); err != nil {
			s.ledger.report(requestFailed, "%s", err)
			return
		}
		s.changes.Add(1)
	}
}
