package gavel

import "slices"

// Kinds of callers that may ask for decisions. Any other kind speaks for nobody.
const (
	CallerGateway = "gateway" // trusted to say who sent a message and where a call would run
	CallerAgent   = "agent"   // an agent, or whatever holds a token of the scope decide
)

// Claims are what a call can say about itself that only some credentials may say.
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

// Trusted is the caller who runs Gavel itself, and is trusted as a gateway is.
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

// Caller is who makes a request, and what their credential permits. The zero value
// may do nothing.
type Caller struct {
	// Credential names what was shown, without the connection it came over. Who asks
	// for an approval is known by it, and cannot answer.
	Credential string
	// Issue tells it from another credential of the same name, as from one that was revoked; ""
	// where there is only ever one.
	Issue string
	// Person is the name of the person that the credential belongs to; "" for one that
	// several may hold. Where several people must agree, only names count.
	Person string
	From   string // where from, for logs
	Rights Right
	// Speaks says for whom the caller may ask. It is nil for one that may not.
	Speaks *CallerFacts
	// Valid reports whether the credential still holds; nil where it was shown for one
	// request only. A connection that outlives a request asks before each message.
	Valid func() bool
}

// May reports whether the caller holds a right, or all of several.
func (c Caller) May(need Right) bool { return c.Rights&need == need }

// MayClaim reports whether the caller may say this about a call.
func (c Caller) MayClaim(claim string) bool {
	return c.Speaks != nil && slices.Contains(c.Speaks.Claims, claim)
}
