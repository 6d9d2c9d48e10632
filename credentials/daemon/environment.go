package daemon

import (
	"slices"
	"strings"

	"gavel/credentials/wrappers"
)

// Environment knows the variables that a request may not set, because they redirect a tool that is
// given credentials. The lists are environment in rego/gavel/catalog/credentials/data.yaml,
// which the policy reads as well.
type Environment struct {
	// Blocked reports whether no call may set a variable, for any program. Names are case-sensitive.
	Blocked  func(name string) bool `yaml:"-"`
	Names    []string               `yaml:"names"`
	Prefixes []string               `yaml:"prefixes"`
	Suffixes []string               `yaml:"suffixes"`
	// AnyCase are names that count in upper and lower case.
	AnyCase []string `yaml:"any_case"`
	// Listable are names that a request may set for a tool that lists them, although no call may.
	Listable []string `yaml:"listable"`
	// Harmless are the names that a request may set for a tool that is given credentials and does
	// not say itself which.
	Harmless []string `yaml:"harmless"`
}

func (e *Environment) zero() bool {
	return e.Blocked == nil || len(e.Names) == 0 || len(e.Prefixes) == 0 || len(e.Suffixes) == 0 || len(e.Harmless) == 0
}

// listed reports whether a variable is one of those that a request may set for a tool: what its
// request_env lists, or what is harmless. Without credentials there is nothing to redirect.
func (e *Environment) listed(tool *wrappers.Tool, name string) bool {
	switch {
	case tool.RequestEnv != nil:
		return slices.Contains(*tool.RequestEnv, name)
	case len(tool.Uses()) > 0:
		return slices.Contains(e.Harmless, name)
	}
	return true
}

// Denied reports whether a request may not set a variable.
func (e *Environment) Denied(name string) bool {
	return e.Blocked(name) && !slices.Contains(e.Listable, name) || slices.Contains(e.Names, name) || slices.Contains(e.AnyCase, strings.ToLower(name)) ||
		slices.ContainsFunc(e.Prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) ||
		slices.ContainsFunc(e.Suffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

// split returns the names of the variables of a request that are passed on to a tool, and of those
// that are dropped, both sorted.
func (e *Environment) split(tool *wrappers.Tool, given map[string]string) (passed, dropped []string) {
	passed, dropped = []string{}, []string{}
	for name := range given {
		own := func(v wrappers.Variable) bool { return v.Name == name }
		if !e.listed(tool, name) || e.Denied(name) || slices.ContainsFunc(tool.Env, own) || slices.ContainsFunc(tool.ForcedEnv, own) ||
			tool.ConfigFile != nil && name == "XDG_CONFIG_HOME" {
			dropped = append(dropped, name)
			continue
		}
		passed = append(passed, name)
	}
	slices.Sort(passed)
	slices.Sort(dropped)
	return passed, dropped
}

// base returns the variables that every tool has, with the daemon's values.
func (d *Daemon) base() map[string]string {
	env := map[string]string{"PATH": "/usr/local/bin:/usr/bin:/bin"}
	for _, name := range []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TERM", "COLORTERM"} {
		if value := d.cfg.Getenv(name); value != "" {
			env[name] = value
		}
	}
	return env
}

// environ builds the environment of a tool: what every tool has, what the request may set, and
// over both what the configuration says.
func (d *Daemon) environ(tool *wrappers.Tool, passed []string, given, values map[string]string, pty bool, dir, config string) []string {
	env := d.base()
	for _, name := range passed {
		env[name] = given[name]
	}
	if env["TERM"] == "" {
		env["TERM"] = "dumb"
		if pty {
			env["TERM"] = "xterm-256color"
		}
	}
	env["PWD"] = dir
	for _, list := range [][]wrappers.Variable{tool.Env, tool.ForcedEnv} {
		for _, variable := range list {
			var value strings.Builder
			for _, part := range variable.Parts {
				value.WriteString(part.Text)
				if part.Credential != "" {
					value.WriteString(values[part.Credential])
				}
			}
			env[variable.Name] = value.String()
		}
	}
	if config != "" {
		env["XDG_CONFIG_HOME"] = config
	}
	list := make([]string, 0, len(env))
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}
