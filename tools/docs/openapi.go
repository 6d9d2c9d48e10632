package main

import (
	"encoding/json"
	"regexp"
	"strings"

	"gavel"
	"gavel/rego"
	"gavel/server/access"
)

// object is a JSON object. Its members are written in alphabetical order.
type object map[string]any

// jsonDocument formats a document for a file.
func jsonDocument(value any) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(value)
	return b.String(), err
}

// openAPI generates the OpenAPI 3.1 description of the HTTP API from the table of routes and
// the schemas.
func openAPI(call, approval object) (object, error) {
	var decision object
	if err := json.Unmarshal(rego.DecisionSchema, &decision); err != nil {
		return nil, err
	}
	text, flag, number := object{"type": "string"}, object{"type": "boolean"}, object{"type": "number", "minimum": 0}
	texts := object{"type": "array", "items": text}
	components := object{
		"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer", "description": "a token of STATE/tokens, or of gavel token create"}},
		"schemas": object{
			"Call": call, "Decision": decision, "Approval": approval,
			"Calls": object{"type": "object", "additionalProperties": false, "required": []string{"calls"},
				"properties": object{"calls": object{"type": "array", "maxItems": 100, "items": ref("Call")}}},
			"Decisions":       object{"type": "object", "required": []string{"decisions"}, "properties": object{"decisions": object{"type": "array", "items": ref("Decision")}}},
			"CallWithoutTool": object{"type": "object", "description": "a call whose tool is ignored and may be omitted"},
			"Answer": object{"type": "object", "additionalProperties": false, "required": []string{"decision"}, "properties": object{
				"decision": object{"enum": []string{"allow-once", "allow-always", "deny", "approve"}}, "comment": text}},
			"Pause": object{"type": "object", "properties": object{"why": text, "forSeconds": object{"type": "integer", "minimum": 0}}},
			"Message": object{"type": "object", "additionalProperties": false, "required": []string{"text", "call"}, "properties": object{
				"text": text, "mentioned": flag, "call": ref("CallWithoutTool")}},
			"Directives": object{"type": "object", "required": []string{"text", "directives", "revision"}, "properties": object{
				"text": text, "reply": text, "revision": text, "message": ref("Object"), "directives": object{"type": "array", "items": ref("Object")}}},
			"Exec": object{"type": "object", "additionalProperties": false, "required": []string{"agent", "command"}, "properties": object{
				"agent": text, "sessionKey": text, "tool": object{"const": "exec"}, "cwd": text, "rows": number, "cols": number,
				"command": text, "workdir": text, "env": object{"type": "object", "additionalProperties": text}, "yieldMs": number, "background": flag,
				"timeout": number, "pty": flag, "host": text, "security": text, "ask": text, "node": text, "elevated": flag}},
			"Process": object{"type": "object", "additionalProperties": false, "required": []string{"agent", "action"}, "properties": object{
				"agent": text, "sessionKey": text, "tool": object{"const": "process"},
				"action":    object{"enum": []string{"list", "poll", "log", "write", "send-keys", "submit", "paste", "kill", "clear", "remove"}},
				"sessionId": text, "data": text, "text": text, "keys": texts, "hex": texts, "literal": text, "bracketed": flag, "eof": flag,
				"offset": number, "limit": number, "timeout": number}},
			"Run": object{"type": "object", "additionalProperties": false, "required": []string{"kind", "agent", "decision"}, "properties": object{
				"kind": object{"enum": []string{"run.started", "run.refused", "run.ended"}}, "agent": text, "session": text, "decision": text, "code": text, "message": text, "program": text,
				"directory": text, "exitCode": object{"type": "integer"}, "signal": text, "timedOut": flag, "durationMs": number}},
			"Recorded": object{"type": "object", "required": []string{"recorded"}, "properties": object{"recorded": flag}},
			"Health":   object{"type": "object", "properties": object{"status": text, "stale": flag}},
			"Object":   object{"type": "object"},
			"Error": object{"type": "object", "required": []string{"error"}, "properties": object{"error": object{"type": "object",
				"required": []string{"code", "message"}, "properties": object{"code": text, "message": text, "fix": text}}}},
		},
	}
	paths := object{}
	for _, route := range access.Routes() {
		path, ok := paths[route.Path].(object)
		if !ok {
			path = object{}
			if list := parameters(route.Path); len(list) > 0 {
				path["parameters"] = list
			}
			paths[route.Path] = path
		}
		path[strings.ToLower(route.Method)] = operation(route)
	}
	return object{"openapi": "3.1.0", "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
		"info": object{"title": "Gavel", "version": "1", "summary": "Policy decisions for AI agents", "license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "Generated from the table of routes by make generate. docs/http.md explains the API."},
		"servers": []object{{"url": "http://127.0.0.1:8181"}}, "paths": paths, "components": components}, nil
}

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

// parameters describes the parameters in a path.
func parameters(path string) (list []object) {
	for _, match := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
		list = append(list, object{"name": match[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	return list
}

// bodies returns the schemas of the request and of the answer by route. A route that is not
// listed takes no body and answers with any object.
func bodies() map[string][2]string {
	return map[string][2]string{
		"POST /v1/decisions": {"Call", "Decision"}, "POST /v1/decisions/batch": {"Calls", "Decisions"}, "POST /v1/tools": {"CallWithoutTool", "Object"}, "POST /v1/directives": {"Message", "Directives"},
		"POST /v1/exec": {"Exec", "Object"}, "POST /v1/process": {"Process", "Object"}, "POST /v1/runs": {"Run", "Recorded"},
		"POST /v1/approvals/{id}/resolve": {"Answer", "Approval"}, "GET /v1/approvals/{id}": {"", "Approval"}, "GET /v1/approvals/{id}/wait": {"", "Approval"},
		"PUT /v1/allowlists/{agent}": {"Object", "Object"}, "POST /v1/grants/verify": {"Object", "Object"},
		"POST /hooks/{host}": {"Object", "Object"}, "POST /rpc": {"Object", "Object"}, "POST /v1/agents/{id}/pause": {"Pause", "Object"}, "POST /v1/agents/{id}/resume": {"", "Object"},
		"GET /health": {"", "Health"}, "GET /ready": {"", "Health"},
	}
}

// operation describes one route.
func operation(route access.Route) object {
	shapes := bodies()[route.Key()]
	answer, media := shapes[1], "application/json"
	switch route.Path {
	case "/metrics", "/v1/grants/key":
		media = "text/plain"
	case "/v1/approvals/events":
		media = "text/event-stream"
	}
	schema := object{"type": "string"}
	if media == "application/json" {
		if answer == "" {
			answer = "Object"
		}
		schema = ref(answer)
	}
	o := object{"description": withoutLinks(route.For), "operationId": operationID(route),
		"responses": object{"200": object{"description": "the answer", "content": object{media: object{"schema": schema}}},
			"default": object{"description": "an error", "content": object{"application/json": object{"schema": ref("Error")}}}}}
	switch route.Key() {
	case "GET /ready":
		o["responses"].(object)["503"] = object{"description": "no policy is in force", "content": object{media: object{"schema": schema}}}
	case "PUT /v1/allowlists/{agent}":
		o["responses"].(object)["202"] = object{"description": "others must agree first", "content": object{media: object{"schema": schema}}}
	}
	if shapes[0] != "" {
		o["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": ref(shapes[0])}}}
	}
	if route.Path == "/v1/approvals/{id}/wait" {
		o["parameters"] = []object{{"name": "timeoutMs", "in": "query", "schema": object{"type": "integer", "minimum": 0}}}
	}
	if route.Path == "/v1/decisions" || route.Path == "/v1/decisions/batch" {
		o["parameters"] = []object{{"name": "explain", "in": "query", "schema": object{"type": "boolean"}},
			{"name": "change", "in": "query", "schema": object{"type": "boolean"}},
			{"name": "pins", "in": "query", "schema": object{"type": "boolean"}}}
	}
	if route.Path == "/hooks/{host}" {
		o["parameters"] = []object{{"name": "agent", "in": "query", "schema": object{"type": "string"}}, {"name": "unattended", "in": "query", "schema": object{"type": "boolean"}},
			{"name": "probe", "in": "query", "schema": object{"type": "boolean"}}}
	}
	if route.Need == access.Open {
		o["security"] = []object{}
		return o
	}
	o["security"] = []object{{"token": []string{}}}
	var scopes []string
	for _, scope := range gavel.TokenScopes(route.Need) {
		scopes = append(scopes, string(scope))
	}
	o["x-scopes"] = scopes
	return o
}

// operationID returns the id of a route, such as postDecisionsBatch.
func operationID(route access.Route) string {
	id := strings.ToLower(route.Method)
	for _, part := range regexp.MustCompile(`[A-Za-z]+`).FindAllString(strings.TrimPrefix(route.Path, "/v1"), -1) {
		id += strings.ToUpper(part[:1]) + part[1:]
	}
	return id
}
