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

// The policy changes this often. Now and then it becomes unusable, and the last good one stays
// in force. An edition is a text that was never used before; every other change returns to an
// earlier text.
const (
	changeEvery   = 500 * time.Millisecond
	brokenEvery   = 20
	editionEvery  = 8
	questionLasts = 5 * time.Second // how long a person has to answer; a flow that expires takes as long
)

// configuration is a policy together with its answers to the probes.
type configuration struct {
	deny    string                  // the tool that it denies
	effects map[string]gavel.Effect // by tool
}

// configurations answer each probe differently, so that an answer composed of two of them can
// be recognised by its effects.
func configurations() []configuration {
	return []configuration{
		{"web_fetch", map[string]gavel.Effect{"read": gavel.Allow, "web_fetch": gavel.Deny}},
		{"read", map[string]gavel.Effect{"read": gavel.Deny, "web_fetch": gavel.Allow}},
	}
}

// probes are the tools that distinguish configurations.
func probes() []string { return slices.Sorted(maps.Keys(configurations()[0].effects)) }

// asker is the agent whose unlisted commands need approval. Those of other agents are denied.
const asker = "asker"

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
`, edition, c.deny, verified, verifier, int(verifierTime.Seconds()), questionLasts.Milliseconds(), asker)
}

// textOf returns the text of the nth change, with the address of the verifier.
func textOf(n int, verifier string) string {
	if n%brokenEvery == brokenEvery-1 {
		return "tools: {denny: [read]}\n"
	}
	all := configurations()
	return all[n%len(all)].text(n/editionEvery, verifier)
}

// place replaces a policy atomically, as an editor or a deployment does.
func place(dir, text string) error {
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
	for n := 1; pause(ctx, changeEvery); n++ {
		if err := place(s.server.policy, textOf(n, s.server.verifier.url)); err != nil {
			s.book.wrong(requestFailed, "%s", err)
			return
		}
		s.changes.Add(1)
	}
}
