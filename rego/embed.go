// Package rego holds the policy that Gavel ships: the Rego modules, their data,
// the schemas and the default configuration. It is where a security engineer
// starts (README.md); this file is the only Go.
package rego

import "embed"

// Policy is the built-in policy root, an OPA bundle: the modules below gavel and
// their data. Tests are part of it, and are left out where a snapshot is made.
//
//go:embed .manifest gavel
var Policy embed.FS

// ConfigSchema is the JSON Schema of a configuration.
//
//go:embed schema/config.json
var ConfigSchema []byte

// FactsSchema is the JSON Schema of the facts, the input of every rule.
//
//go:embed schema/facts.json
var FactsSchema []byte

// DecisionSchema is the JSON Schema of a decision.
//
//go:embed schema/decision.json
var DecisionSchema []byte

// CallSchema is the JSON Schema of a call, which make generate writes.
//
//go:embed schema/call.json
var CallSchema []byte

// ProgramSchema is the JSON Schema of an entry of the catalog of programs.
//
//go:embed schema/program.json
var ProgramSchema []byte

// DefaultConfig is the configuration that holds when no policy is given.
//
//go:embed default/config.yaml
var DefaultConfig []byte

// Environment is the catalog's page about variables.
//
//go:embed gavel/catalog/environment/data.yaml
var Environment []byte
