package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"gavel"
)

// Table describes the tools of one host, by the host's names. It is read from the host's tools.yaml.
type Table map[string]Tool

// Tool says which of Gavel's tools a host's tool is, and how its parameters are read. A parameter in
// neither Takes nor Drops makes the call unread, unless Keeps is set.
type Tool struct {
	Tool  string           `yaml:"tool"`  // Gavel's name for it
	Shell string           `yaml:"shell"` // the shell that runs its text, if it is not the user's
	Takes map[string]Param `yaml:"takes"` // by the host's names
	// Drops are parameters that do not affect what runs, such as a description.
	Drops []string `yaml:"drops"`
	// Keeps passes every other parameter on under its own name. It is for tools that Gavel judges
	// by name only.
	Keeps bool `yaml:"keeps"`
	// Sets are parameters that every call gets, by Gavel's names.
	Sets map[string]string `yaml:"sets"`
	// Terminal says that the agent can type into the program that it started. So the program may
	// run on a terminal, and what is typed never reaches a hook.
	Terminal bool `yaml:"terminal"`
	// Unpaged are the programs that get an option against pagers, by name, where the host runs what was
	// judged.
	Unpaged map[string]Unpaged `yaml:"unpaged"`
	// Own says that the host has one agent, so that a session that the call names is that agent's.
	Own bool `yaml:"own"`
	// Each is the parameter with a list of texts, each of which becomes a call.
	Each string `yaml:"each"`
}

// Param says how a parameter is read.
type Param struct {
	As       string `yaml:"as"` // Gavel's name; "" reads and checks it, and passes it over
	Of       string `yaml:"of"` // a kind; see kinds
	Required bool   `yaml:"required"`
	// Here means that the call's directory is used if the parameter is missing.
	Here bool `yaml:"here"`
	// Fact is the fact about the host's call that the value true states: unsandboxed.
	Fact string `yaml:"fact"`
}

// The kinds of parameters.
const (
	kindText  = "text"
	kindFlag  = "flag"
	kindCount = "number"
	kindMS    = "milliseconds"
	kindAny   = "any"
	kindTexts = "texts" // a list of texts
	kindGlob  = "glob"  // a pattern of files, below the path that another parameter names
	kindNames = "names" // patterns of files: a search reads only those, below the path that another parameter names
	kindURLs  = "urls"  // text with one or more URLs in it
)

// Facts about the host that parameters state.
const factUnsandboxed = "unsandboxed"

// ReadTable reads a tools.yaml, and refuses what it does not know.
func ReadTable(text []byte) (Table, error) {
	var t Table
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&t); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the table of tools: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if err := t[name].check(); err != nil {
			return nil, fmt.Errorf("read the table of tools: %s: %w", name, err)
		}
	}
	return t, nil
}

func (t Tool) check() error {
	if t.Tool == "" {
		return errors.New("want the name of Gavel's tool")
	}
	for name, p := range t.Takes {
		if !slices.Contains([]string{kindText, kindFlag, kindCount, kindMS, kindAny, kindTexts, kindGlob, kindNames, kindURLs}, p.Of) {
			return fmt.Errorf("%s: %q is not a kind of parameter", name, p.Of)
		}
		if t.Keeps && p.As != "" && p.As != name {
			return fmt.Errorf("%s: a tool that keeps parameters cannot rename one", name)
		}
		if (p.Of == kindGlob || p.Of == kindNames) && (t.Tool != "read" || !t.reads()) {
			return fmt.Errorf("%s: a pattern of files is for a tool that reads a path", name)
		}
		if p.Fact != "" && (p.Fact != factUnsandboxed || p.Of != kindFlag) {
			return fmt.Errorf("%s: the only fact is %s, of a flag", name, factUnsandboxed)
		}
	}
	if many := t.Takes[t.Each]; t.Each != "" && many.Of != kindTexts && many.Of != kindURLs {
		return fmt.Errorf("each: %s is not a list that the tool takes", t.Each)
	}
	return nil
}

// Calls translates one use of a tool. base has what the payload says apart from the tool and its
// parameters. A tool that is not in the table keeps its name and parameters. A tool that is in
// the table, but whose parameters do not fit, becomes a call whose Tool.Unread says why.
func (t Table) Calls(base gavel.Call, name string, input Object) []gavel.Call {
	tool, known := t[name]
	if !known {
		base.Tool = gavel.Tool{Name: name, Params: ParamsOf(input)}
		if clash := t.clash(name); clash != "" {
			base.Tool.Unread = clash
		}
		return []gavel.Call{base}
	}
	return tool.calls(base, name, input)
}

// clash says why an unlisted name must not be passed on unchanged; "" if it may. A name of one of
// Gavel's tools would be judged by parameters that were not read here.
func (t Table) clash(name string) string {
	folded := strings.ToLower(name)
	if !regexp.MustCompile(`^[a-z0-9_.:/-]+$`).MatchString(folded) || strings.HasPrefix(folded, "mcp:") || strings.HasPrefix(folded, "group:") {
		return fmt.Sprintf("%s is not the name of a tool", short(name))
	}
	for _, tool := range t {
		if folded == tool.Tool {
			return fmt.Sprintf("%s is not a tool of this host, but Gavel knows another tool by that name", name)
		}
	}
	for known := range t {
		if known != name && strings.EqualFold(known, name) {
			return fmt.Sprintf("%s is not how this host spells %s", name, known)
		}
	}
	if slices.Contains(ownNames(), folded) {
		return fmt.Sprintf("%s is not a tool of this host, but Gavel knows another tool by that name", name)
	}
	return ""
}

// ownNames returns the names of tools whose parameters Gavel reads itself.
func ownNames() []string {
	return []string{"exec", "bash", "read", "write", "edit", "apply_patch", "apply-patch", "process"}
}

func (t Tool) calls(base gavel.Call, name string, input Object) []gavel.Call {
	r, err := t.read(input, base)
	for name, value := range t.Sets {
		r.values[name] = value
	}
	if t.Terminal {
		r.values["pty"] = true
	}
	if err != nil {
		base.Tool = gavel.Tool{Name: t.Tool, Params: ParamsOf(input), Unread: fmt.Sprintf("%s: %v", name, err)}
		return []gavel.Call{base}
	}
	base.Host.Unsandboxed = base.Host.Unsandboxed || r.host.Unsandboxed
	if t.Shell != "" && base.Environment != nil {
		there := *base.Environment
		there.Shell = t.Shell
		base.Environment = &there
	}
	if session, ok := r.values["sessionId"].(string); t.Own && ok {
		there := gavel.Environment{}
		if base.Environment != nil {
			there = *base.Environment
		}
		there.Process = &gavel.Process{Session: session}
		base.Environment = &there
	}
	if t.Each == "" {
		base.Tool = gavel.Tool{Name: t.Tool, Params: r.values}
		calls := []gavel.Call{base}
		for _, path := range r.named {
			base.Tool = gavel.Tool{Name: t.Tool, Params: map[string]any{"path": path}}
			calls = append(calls, base)
		}
		return calls
	}
	calls := make([]gavel.Call, len(r.many))
	for i, element := range r.many {
		call := base
		call.Tool = gavel.Tool{Name: t.Tool, Params: maps.Clone(r.values)}
		call.Tool.Params[t.Takes[t.Each].As] = element
		calls[i] = call
	}
	return calls
}
