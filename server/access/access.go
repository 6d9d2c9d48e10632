// Package access is the only table of the HTTP API's and JSON-RPC's operations, and of the
// rights they need. The router, the refusals, the help texts and docs/http.md are generated
// from it. [gavel.Scopes] says who has which right.
package access

import (
	"net/http"

	"gavel"
)

// Share is the kind of server resources that a request uses.
type Share uint8

// The resources of a request. The zero value has the strictest limits.
const (
	Runs  Share = iota // it computes, and is subject to the limiter
	Waits              // it waits for people, without a time limit
	Free               // it uses hardly anything, and is not counted
)

// Open is the right of a route that needs no credential.
const Open gavel.Right = 0

// anybody is a right that every credential has. On /rpc, each method needs a right of its own.
const anybody = gavel.RightStatus

// Route is one row of the table of routes. HEAD works wherever GET does.
type Route struct {
	Method, Path string
	Need         gavel.Right // the right that the caller must have; Open needs no credential
	Share        Share
	For          string // what it is for, in Markdown
}

// Key returns the name of the row, such as POST /v1/decisions.
func (r Route) Key() string { return r.Method + " " + r.Path }

// Routes is the table of routes.
func Routes() []Route {
	const get, post, put = http.MethodGet, http.MethodPost, http.MethodPut
	return []Route{
		{post, "/v1/decisions", gavel.RightDecide, Runs,
			"one call → one decision. `?explain=true` adds `layers`, with timings, and `facts`; only gateways see facts about the machine. `?change=true` adds `change` to a refusal, for gateways: the smallest edit of the configuration that would permit the call. `?pins=true` adds `exec.pins` to an allowed command, for gateways: the files and the directory that it was judged by"},
		{post, "/v1/decisions/batch", gavel.RightDecide, Runs,
			"`{\"calls\":[…]}` → `{\"decisions\":[…]}`, in order, all from one snapshot; at most 100"},
		{post, "/v1/tools", gavel.RightTools, Runs,
			"a call without a tool → every tool, visible or not, with the step and the setting that removed it"},
		{post, "/v1/directives", gavel.RightDirect, Runs,
			"`{\"text\":\"/exec ask=always\",\"mentioned\":true,\"call\":{…}}` → the text without directives, the outcome of each, and the reply to the sender ([directives.md](directives.md))"},
		{post, "/hooks/{host}", gavel.RightDecide, Runs,
			"the hook payload of a host → the answer that it obeys, [below](#hooks). `?agent=` names the agent, `?unattended=true` says that no person can be asked, `?probe=true` that nobody makes the call, which is denied"},

		{post, "/v1/exec", gavel.RightRun, Waits,
			"a call of `exec` → how its command ended, or its session; of `gavel runner` only ([runner.md](runner.md))"},
		{post, "/v1/process", gavel.RightRun, Waits,
			"a call of `process` → the sessions of the agent; of `gavel runner` only"},

		{post, "/v1/runs", gavel.RightFacts, Runs,
			"`{\"kind\":\"run.started\",\"agent\":\"main\",\"decision\":\"…\"}` → `{\"recorded\":true}`: the outcome of an allowed command, for the decision log; `run.ended` has `exitCode`, `run.refused` has `code`"},

		{get, "/v1/approvals", gavel.RightApprove, Runs,
			"open questions, oldest first. `?limit=` (1 to 1000) returns a page, and `next` is the `?cursor=` of the following one"},
		{get, "/v1/approvals/events", gavel.RightApprove, Waits,
			"server-sent events `exec.approval.requested`, `.resolved`, `.expired`; open questions come first"},
		{get, "/v1/approvals/{id}", gavel.RightAsk, Runs,
			"one question, by its id or its first 8 characters. A caller may read its own question, by its full id"},
		{post, "/v1/approvals/{id}/resolve", gavel.RightApprove, Runs,
			"`{\"decision\":\"allow-once\",\"comment\":\"…\"}` → the approval; `allow-always`, `deny`, and `approve` for `allow-once`"},
		{get, "/v1/approvals/{id}/wait", gavel.RightAsk, Waits,
			"the approval once it is no longer pending; `outcome.effect` applies to the waiting caller. `?timeoutMs=` limits the wait"},
		{get, "/v1/allowlists/{agent}", gavel.RightAllowlist, Runs,
			"one agent's part of `exec-approvals.json`. `*` is everyone"},
		{put, "/v1/allowlists/{agent}", gavel.RightAllowlist, Runs,
			"replaces it; needs `baseHash`. 202 with `pending` means that others must agree first and nothing has changed yet ([approvals.md](approvals.md))"},
		{post, "/v1/grants/verify", gavel.RightAsk, Runs,
			"`{\"grant\":\"…\",\"call\":{…}}` or `\"bound\":{…}` → `{\"ok\":true}`, once, for an agent that the credential speaks for and that is not paused; a mismatch names the fields in `error.details`. With `\"exec\":{…}` of the decision, its obligations are compared, too ([binding.md](binding.md#obligations))"},
		{get, "/v1/grants/key", gavel.RightAsk, Runs,
			"the public key of grants, in PEM"},
		{post, "/rpc", anybody, Waits,
			"JSON-RPC 2.0, [below](#json-rpc); each method has its own scopes"},
		{get, "/rpc", anybody, Waits,
			"the same as a WebSocket"},

		{get, "/v1/agents", gavel.RightStatus, Runs,
			"the agents that are paused"},
		{post, "/v1/agents/{id}/pause", gavel.RightPause, Runs,
			"`{\"why\":\"…\",\"forSeconds\":3600}` → the pause, of all agents for `*`; without `forSeconds` it lasts until it is resumed"},
		{post, "/v1/agents/{id}/resume", gavel.RightPause, Runs,
			"ends the pause"},
		{get, "/v1/status", gavel.RightStatus, Runs,
			"the policy in force and since when; if a newer one could not be loaded, since when and why; what evaluates it (evaluator, uncompiled)"},
		{get, "/metrics", gavel.RightStatus, Free, "Prometheus"},
		{get, "/health", Open, Free, "the process is up"},
		{get, "/ready", Open, Free,
			"a policy is in force (503 without one), with `stale` and since when if a newer one failed. The problems are shown only with a token"},
	}
}

// Method is one row of the table of JSON-RPC methods.
type Method struct {
	Name           string
	Need           gavel.Right // the right that the caller must have
	Params, Result string      // in Markdown
}

// Methods is the table of JSON-RPC methods.
func Methods() []Method {
	return []Method{
		{"exec.approval.request", gavel.RightAsk,
			"`command` or `commandArgv`, `cwd`, `env`, `host`, `nodeId`, `systemRunPlan`, `agentId`, `sessionKey`, `security`, `ask`, `id`, `timeoutMs`, " +
				"`twoPhase`, `environment`",
			"`{id, decision, comment, createdAtMs, expiresAtMs, effect}` when answered; with `twoPhase` first `status: accepted`, and on a WebSocket the decision as a second response"},
		{"exec.approval.waitDecision", gavel.RightAsk, "`id`", "the same, for a client that lost its connection"},
		{"exec.approval.resolve", gavel.RightApprove, "`id`, `decision`, `comment`", "`{ok}`"},
		{"exec.approval.get", gavel.RightApprove, "`id`", "an open question"},
		{"exec.approval.list", gavel.RightApprove, "`limit`, `cursor`",
			"open questions; at most 1000 per page, whose last one has `next` if there are more"},
		{"exec.approvals.get", gavel.RightAllowlist, "none", "`{path, exists, hash, file}`, without the token"},
		{"exec.approvals.set", gavel.RightAllowlist, "`file`, `baseHash`",
			"the same; `pending` if others must agree first. A different `file.socket` is refused"},
		{"exec.approvals.node.get", gavel.RightAllowlist, "`nodeId`", "the file of a node: `STATE/nodes/<id>.json` has its `url` and `token`"},
		{"exec.approvals.node.set", gavel.RightAllowlist, "`nodeId`, `file`, `baseHash`", "the same"},
	}
}
