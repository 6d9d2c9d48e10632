package peers

import (
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"time"
)

// Server is a server to be measured, with the format of its requests.
type Server struct {
	Name  string
	Cases []string // names of the cases that it supports; nil means all

	// command returns the command line that starts the server at this TCP address.
	command func(address string) []string
	env     []string // in addition to this process's environment
	network string   // tcp or unix
	address string   // where it listens; Lab.Start sets a TCP address
	path    string
	token   string // the file with its token, or ""
	format  requestFormat
	want    string // part of every correct answer
	// Only for Gavel:
	metrics *metrics
	policy  string // its policy directory
	size    Size
	// Reload is the interval between replacements of the policy during the open loop. 0 means that
	// it is not replaced.
	Reload time.Duration
	Rego   bool // replace a Rego module, not the configuration
}

// The names of servers. OPA evaluates the shipped policy unless the name says otherwise, and
// cedar-go only the tool policy.
const (
	Echo          = "chi echo"
	Gavel         = "gavel"
	GavelLogs     = "gavel with log"
	GavelUnix     = "gavel over unix"
	GavelReloads  = "gavel reloading"
	GavelModules  = "gavel, 2,000 modules"
	ModulesReload = "2,000 modules, configuration reloading"
	ModulesRego   = "2,000 modules, Rego reloading"
	OPA           = "opa server"
	OPATuned      = "opa server hand-tuned"
	OPAEmbedded   = "chi + opa embedded"
	CedarEmbedded = "chi + cedar-go"
)

// Servers lists Gavel and its peers, all with the small policy.
func (l *Lab) Servers() ([]Server, error) {
	small, large := Small(), Small()
	large.Modules = 2000
	bundle, tuned := filepath.Join(l.Dir, "bundle"), filepath.Join(l.Dir, "tuned", "data.json")
	if err := WriteBundle(bundle, small); err != nil {
		return nil, err
	}
	if err := writeTuned(tuned); err != nil {
		return nil, err
	}
	shipped, testdata := filepath.Join(l.Root, "rego"), filepath.Join(l.Root, "bench", "testdata")
	withoutCache := []string{PlainCall, ExecEachNew, Pipeline} // a server without a cache does not get ExecRepeated
	unix := GavelOptions{Size: small, Unix: true}
	reloads := GavelOptions{Size: small, Reload: 2 * time.Second}
	servers := []Server{
		l.embedded(Echo, "echo"),
		l.Gavel(Gavel, GavelOptions{Size: small}),
		l.Gavel(GavelLogs, GavelOptions{Size: small, Log: true}),
		l.Gavel(GavelUnix, unix).only(ExecEachNew),
		l.Gavel(GavelReloads, reloads).only(ExecEachNew),
		l.Gavel(GavelModules, GavelOptions{Size: large}).only(ExecEachNew),
		l.Gavel(ModulesReload, GavelOptions{Size: large, Reload: reloads.Reload}).only(ExecEachNew),
		l.Gavel(ModulesRego, GavelOptions{Size: large, Reload: reloads.Reload, Rego: true}).only(ExecEachNew),
		l.opa(OPA, "gavel/decision/result", `"effect":"allow"`, asFacts, "--bundle", "--ignore", "*_test.rego",
			"--ignore", "checks", "--ignore", "default", shipped, bundle).only(withoutCache...),
		l.opa(OPATuned, "tuned/allow", `"result":true`, asTuned, filepath.Join(testdata, "tuned.rego"), tuned).only(withoutCache...),
		l.embedded(OPAEmbedded, "plain", shipped, bundle).only(withoutCache...),
		l.embedded(CedarEmbedded, "cedar", filepath.Join(testdata, "tools.cedar")).only(PlainCall),
	}
	embedded := &servers[len(servers)-2]
	embedded.format, embedded.want = asFacts, `"effect":"allow"`
	return servers, nil
}

// Supports reports whether the server supports a case.
func (s Server) Supports(c Case) bool { return s.Cases == nil || slices.Contains(s.Cases, c.Name) }

func (s Server) only(cases ...string) Server {
	s.Cases = cases
	return s
}

// GavelOptions describes how to start Gavel.
type GavelOptions struct {
	Size   Size
	Log    bool // write a decision log to a file
	Unix   bool // send requests over the unix socket
	Reload time.Duration
	Rego   bool // see Server
}

// Gavel returns a Gavel server with its own policy and state.
func (l *Lab) Gavel(name string, o GavelOptions) Server {
	l.started++
	home := filepath.Join(l.Dir, fmt.Sprintf("g%d", l.started)) // short, because the length of a socket path is limited
	state, policy := filepath.Join(home, "state"), filepath.Join(home, "policy")
	log := "off"
	if o.Log {
		log = filepath.Join(state, "decisions.jsonl")
	}
	s := Server{Name: name, network: "tcp", path: "/v1/decisions", want: `"decision":"allow"`,
		command: func(address string) []string {
			// With a long timeout, a stall of the machine affects latencies, as with the peers, and
			// does not lead to denials.
			return []string{l.gavel, "serve", "--policy", policy, "--state", state, "--listen", address, "--log", log, "--timeout", "1m",
				"--evaluator", l.Evaluator}
		},
		env:   []string{"GODEBUG=gctrace=1"}, // shows the processor time of the collector, which is not among the metrics
		token: filepath.Join(state, "tokens", "gateway.token"), policy: policy, size: o.Size, Reload: o.Reload, Rego: o.Rego}
	s.metrics = &metrics{token: s.token}
	if o.Unix {
		s.network, s.address = "unix", filepath.Join(state, "gavel.sock")
	}
	return s
}

func (l *Lab) opa(name, rule, want string, asked requestFormat, args ...string) Server {
	command := func(address string) []string {
		return append([]string{l.opaBinary, "run", "--server", "--addr", address, "--log-level", "error", "--skip-version-check"}, args...)
	}
	return Server{Name: name, network: "tcp", path: "/v1/data/" + rule, format: asked, want: want, command: command}
}

func (l *Lab) embedded(name, kind string, args ...string) Server {
	return Server{Name: name, network: "tcp", path: "/v1/decisions", want: `"decision":"allow"`,
		command: func(address string) []string { return append([]string{l.self, "serve", kind, address}, args...) }}
}

// at returns the server with this TCP address, unless it listens on a unix socket.
func (s Server) at(address string) Server {
	if s.network == "tcp" {
		s.address = address
	}
	if s.metrics != nil {
		s.metrics = &metrics{url: "http://" + address + "/metrics", token: s.token}
	}
	return s
}

// freeAddress returns an unused TCP address. Another process may take it before the server does, so
// Lab.Start tries again.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
