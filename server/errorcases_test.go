package server_test

import (
	"math"
	"slices"
	"strings"

	"gavel"
	"gavel/server"
)

// errorCase is a request that gets an error.
type errorCase struct {
	name   string
	adapt  func(*server.Config) // may be nil
	send   request
	status int
	code   string
	path   string // of the body
}

func errorCases() []errorCase {
	return slices.Concat(credentialErrors(), routeErrors(), bodyErrors(), internalErrors(), callErrors())
}

// withHeader returns the request with one header.
func withHeader(q request, header, value string) request {
	q.header = map[string]string{header: value}
	return q
}

// credentialErrors are about who asks, from where, and what they claim.
func credentialErrors() []errorCase {
	decisions := func(body string) request { return post("/v1/decisions", body) }
	at := func(host string) request { q := get("/health", ""); q.host = host; return q }
	return []errorCase{
		{"no token", nil, get("/v1/status", ""), 401, "unauthenticated", ""},
		{"a wrong token", nil, get("/v1/status", decideToken+"x"), 401, "unauthenticated", ""},
		{"another scheme", nil, withHeader(get("/v1/status", ""), "Authorization", "Basic "+decideToken), 401, "unauthenticated", ""},
		{"a blank token", nil, withHeader(get("/v1/status", ""), "Authorization", "Bearer "), 401, "unauthenticated", ""},
		{"any token without tokens", func(c *server.Config) { c.Tokens = server.Tokens{} }, get("/v1/status", decideToken), 401, "unauthenticated", ""},
		{"a claimed environment", nil, decisions(strings.Replace(readCall, "{", `{"environment":{},`, 1)), 403, "scope_required", "/environment"},
		{"a claimed sender", nil, decisions(strings.Replace(readCall, "{", `{"sender":{},`, 1)), 403, "scope_required", "/sender"},
		{"a claimed sender for tools", nil, post("/v1/tools", strings.Replace(question, "{", `{"sender":{},`, 1)), 403, "scope_required", "/sender"},
		{"a page's request", nil, withHeader(get("/health", ""), "Origin", "http://localhost"), 403, "origin_refused", ""},
		{"a request from no page in particular", nil, withHeader(get("/health", ""), "Origin", "null"), 403, "origin_refused", ""},
		{"another host's name", nil, at("attacker.example:8181"), 403, "host_refused", ""},
		{"a name that begins like ours", nil, at("localhost.attacker.example"), 403, "host_refused", ""},
		{"an address beyond loopback", nil, at("192.0.2.1:8181"), 403, "host_refused", ""},
	}
}

// routeErrors are about paths and methods.
func routeErrors() []errorCase {
	method := func(q request, m string) request { q.method = m; return q }
	return []errorCase{
		{"an unknown path", nil, get("/v2/decisions", decideToken), 404, "not_found", ""},
		{"a path with a slash too many", nil, post("/v1/decisions/", readCall), 404, "not_found", ""},
		{"an encoded path", nil, post("/v1%2Fdecisions", readCall), 404, "not_found", ""},
		{"a wrong method", nil, get("/v1/decisions", decideToken), 405, "method_not_allowed", ""},
		{"an unheard-of method", nil, method(get("/health", ""), "BREW"), 405, "method_not_allowed", ""},
	}
}

// bodyErrors are about the size and the type of a body.
func bodyErrors() []errorCase {
	decisions := func(body string) request { return post("/v1/decisions", body) }
	small := func(c *server.Config) { c.MaxBody = 64 }
	return []errorCase{
		{"a body too large", small, decisions(readCall), 413, "body_too_large", ""},
		{"a batch too large", func(c *server.Config) { c.MaxBatch = 1 }, post("/v1/decisions/batch", `{"calls":[`+readCall+`,`+readCall+`]}`), 413, "batch_too_large", ""},
		{"a form with parts", nil, withHeader(decisions(readCall), "Content-Type", "multipart/form-data; boundary=x"), 415, "unsupported_media_type", ""},
		{"a form of text that is not a call", nil, withHeader(decisions("a=b"), "Content-Type", "application/x-www-form-urlencoded"), 400, "malformed_json", ""},
		{"plain text", nil, withHeader(decisions(readCall), "Content-Type", "text/plain"), 415, "unsupported_media_type", ""},
		{"another charset", nil, withHeader(decisions(readCall), "Content-Type", "application/json; charset=utf-16"), 415, "unsupported_media_type", ""},
		{"a compressed body", nil, withHeader(decisions(readCall), "Content-Encoding", "gzip"), 415, "unsupported_media_type", ""},
	}
}

// internalErrors are failures of the server.
func internalErrors() []errorCase {
	return []errorCase{
		{"readiness without a policy", func(c *server.Config) {
			c.Status = func() gavel.PolicyStatus { return gavel.PolicyStatus{} }
		}, get("/ready", ""), 503, "no_policy", ""},
		{"a panic in a handler", func(c *server.Config) {
			c.Status = func() gavel.PolicyStatus { panic("secret detail") }
		}, get("/ready", ""), 500, "internal", ""},
		{"an answer that JSON cannot say", func(c *server.Config) {
			c.PDP.Analyzer = fakeAnalyzer{func(gavel.Call) gavel.Facts {
				return gavel.Facts{Tool: gavel.ToolFacts{Name: "read", Params: map[string]any{"x": math.Inf(1)}}}
			}}
		}, post("/v1/decisions?explain=true", readCall), 500, "internal", ""},
	}
}

// callErrors are about calls and queries.
func callErrors() []errorCase {
	decisions := func(body string) request { return post("/v1/decisions", body) }
	deep := `{"agent":{"id":"a"},"tool":{"name":"x","params":{"a":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}}}`
	return []errorCase{
		{"an empty body", nil, decisions(""), 400, "malformed_json", ""},
		{"a duplicate member", nil, decisions(`{"agent":{"id":"a","id":"b"}}`), 400, "malformed_json", "/agent/id"},
		{"an unknown member", nil, decisions(`{"agent":{"idd":"a"}}`), 400, "malformed_json", "/agent/idd"},
		{"bytes after the call", nil, decisions(readCall + "x"), 400, "malformed_json", ""},
		{"a second call", nil, decisions(readCall + readCall), 400, "malformed_json", ""},
		{"nesting too deep", nil, decisions(deep), 400, "malformed_json", ""},
		{"invalid UTF-8", nil, decisions("{\"id\":\"\xff\"}"), 400, "malformed_json", "/id"},
		{"no agent", nil, decisions(`{"tool":{"name":"read"}}`), 400, "invalid_call", "/agent/id"},
		{"no tool", nil, decisions(question), 400, "invalid_call", "/tool/name"},
		{"a tool in a question about all", nil, post("/v1/tools", readCall), 400, "invalid_call", "/tool"},
		{"an empty batch", nil, post("/v1/decisions/batch", `{"calls":[]}`), 400, "invalid_call", "/calls"},
		{"a bad call in a batch", nil, post("/v1/decisions/batch", `{"calls":[`+readCall+`,{}]}`), 400, "invalid_call", "/calls/1/agent/id"},
		{"an unknown query", nil, post("/v1/decisions?explian=true", readCall), 400, "invalid_query", ""},
		{"another value of explain", nil, post("/v1/decisions?explain=1", readCall), 400, "invalid_query", ""},
		{"explain said twice", nil, post("/v1/decisions?explain=true&explain=false", readCall), 400, "invalid_query", ""},
		{"another value of change", nil, post("/v1/decisions?change=yes", readCall), 400, "invalid_query", ""},
		{"a broken query", nil, post("/v1/decisions?explain=%zz", readCall), 400, "invalid_query", ""},
		{"a query of a batch", nil, post("/v1/decisions/batch?x=1", readCall), 400, "invalid_query", ""},
		{"a query of tools", nil, post("/v1/tools?explain=true", question), 400, "invalid_query", ""},
		{"a query of status", nil, get("/v1/status?x", adminToken), 400, "invalid_query", ""},
	}
}
