package gavel

import (
	"path"
	"slices"
	"strings"
)

// Kinds of callers that may ask for decisions. Any other kind speaks for nobody.
const (
	CallerGateway = "gateway" // trusted to say who sent a message and where a call would run
	CallerAgent   = "agent"   // an agent, or any holder of a token of the scope decide
)

// Claims are statements about a call that only some credentials may make.
const (
	ClaimModel       = "model"
	ClaimGroup       = "group"
	ClaimSender      = "sender"
	ClaimDepth       = "depth" // agent.depth and agent.maxDepth
	ClaimParents     = "parents"
	ClaimSandboxed   = "sandboxed"
	ClaimEnvironment = "environment"
)

// AllClaims lists every claim, sorted.
func AllClaims() []string {
	return []string{ClaimDepth, ClaimEnvironment, ClaimGroup, ClaimModel, ClaimParents, ClaimSandboxed, ClaimSender}
}

// Trusted is the caller that runs Gavel itself, trusted like a gateway.
func Trusted() *CallerFacts {
	return &CallerFacts{Kind: CallerGateway, Agents: []string{"*"}, Claims: AllClaims()}
}

// Claims lists what a call claims, sorted.
func (c *Call) Claims() []string {
	var list []string
	for _, claim := range AllClaims() {
		if c.claims(claim) {
			list = append(list, claim)
		}
	}
	return list
}

// SpeaksFor reports whether the caller may speak for an agent in a session. A nil caller speaks for
// none.
func (f *CallerFacts) SpeaksFor(agent, session string) bool {
	if f == nil {
		return false
	}
	agent = Fold(agent)
	known := slices.ContainsFunc(f.Agents, func(pattern string) bool {
		fits, err := path.Match(pattern, agent)
		return err == nil && fits
	})
	return known && f.Covers(session)
}

// Covers reports whether a session is in Sessions, or is part of one that is: agent:coder:web:7 is
// part of agent:coder:web, and agent:coder:website is not.
func (f *CallerFacts) Covers(session string) bool {
	session = Fold(session)
	return len(f.Sessions) == 0 || slices.ContainsFunc(f.Sessions, func(bound string) bool {
		rest, begins := strings.CutPrefix(session, Fold(bound))
		return begins && bound != "" && (rest == "" || rest[0] == ':' || strings.HasSuffix(bound, ":"))
	})
}

func (c *Call) claims(claim string) bool {
	switch claim {
	case ClaimModel:
		return c.Model != Model{}
	case ClaimGroup:
		return c.Group != Group{}
	case ClaimSender:
		return c.Sender != nil
	case ClaimDepth:
		return c.Agent.Depth != nil || c.Agent.MaxDepth != nil
	case ClaimParents:
		return c.Agent.Parents != nil
	case ClaimSandboxed:
		return c.Agent.Sandboxed != nil
	case ClaimEnvironment:
		return c.Environment != nil
	}
	return false
}

// Caller is the maker of a request, and what the credential permits. The zero value may do
// nothing.
type Caller struct {
	// Credential is the name of the credential, without the connection. It identifies the
	// asker of an approval, who cannot answer it.
	Credential string
	// Issue distinguishes it from another credential of the same name, such as a revoked one;
	// "" where names are never reused.
	Issue string
	// Person is the name of the person that the credential belongs to; "" for a shared one.
	// Where several people must agree, only names count.
	Person string
	From   string // the origin, for logs
	Rights Right
	// Speaks defines the agents that the caller may ask for; nil for none.
	Speaks *CallerFacts
	// Valid reports whether the credential is still valid; nil if it was shown for one
	// request only. A connection that outlives a request calls it before each message.
	Valid func() bool
}

// May reports whether the caller holds a right, or all of several.
func (c Caller) May(need Right) bool { return c.Rights&need == need }

// MayClaim reports whether the caller may make this claim about a call.
func (c Caller) MayClaim(claim string) bool {
	return c.Speaks != nil && slices.Contains(c.Speaks.Claims, claim)
}
