package wrappers

import (
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"gavel"
	"gavel/credentials/source"
	"gavel/internal/secrets"
)

// Parse reads a text. File is its name, for messages. The error is a *gavel.PolicyError.
func Parse(file string, text []byte) (*Config, error) {
	return parse(file, text, Catalog{Known: func(string) bool { return true }, Denied: func(string) bool { return false }})
}

func parse(file string, text []byte, catalog Catalog) (*Config, error) {
	r := &reader{file: file, catalog: catalog}
	config := &Config{Credentials: map[string]source.Source{}, Tools: map[string]*Tool{}}
	if root := r.document(text); root != nil {
		r.root(root, config)
	}
	config.Warnings = inOrder(r.warnings)
	if len(r.problems) > 0 {
		return nil, &gavel.PolicyError{Problems: inOrder(r.problems)}
	}
	return config, nil
}

func absolute(path string) bool {
	return filepath.IsAbs(path) && filepath.Clean(path) == path && !strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// The defaults of claw-wrap, except where they would leave something open.
const (
	defaultTimeout    = 5 * time.Minute
	defaultInline     = 1 << 20
	defaultConns      = 64
	defaultHeader     = 3 * time.Second
	defaultMessage    = 15 * time.Second
	defaultControl    = 1 << 20
	defaultWrite      = 30 * time.Second
	defaultReplayTTL  = 2 * time.Minute
	leastReplayTTL    = 10 * time.Second
	defaultReplaySize = 10000
)

func proxyKeys() []string {
	return []string{"timeout", "inline_threshold", "hmac_secret_file", "max_connections", "read_header_timeout", "read_message_timeout",
		"max_stdin_message_size", "write_timeout", "max_output_size", "max_connection_lifetime", "replay_cache_ttl", "replay_cache_max_entries",
		"credential_cache_ttl", "env_file", "pass_binary", "gopass_binary", "op_binary", "vault_binary", "bw_binary", "op_token_file", "age_identity_file",
		"vault_addr", "vault_namespace", "vault_skip_verify", "vault_cacert", "vault_token_file"}
}

func (r *reader) root(n *node, config *Config) {
	root := r.object(n, "", "proxy", "security", "credentials", "tools", "audit", "http_proxy")
	proxy := root.child("proxy", proxyKeys()...)
	r.proxy(proxy, &config.Proxy)
	security := root.child("security", "deny_unverified_caller_exe")
	config.Security.AllowUnverified = !security.boolean("deny_unverified_caller_exe", true)
	audit := root.child("audit", "enabled", "file", "stdout", "syslog", "syslog_facility", "include_args", "include_output_hash", "include_duration")
	r.audit(audit, &config.Audit)
	web := root.child("http_proxy")
	if web.boolean("enabled", false) {
		r.problem(web.keys["enabled"], "http_proxy.enabled", "", "set it to false, and use variables or a configuration file", "Gavel has no HTTP proxy that adds credentials")
	}
	r.credentials(root.child("credentials"), config)
	tools := root.child("tools")
	masker := secrets.New()
	for _, name := range tools.sortedKeys() {
		if !toolName(name) {
			r.problem(tools.keys[name], tools.in(name), "", "use letters, digits, dots, dashes and underscores", "%q is an invalid name of a tool", name)
			continue
		}
		t := &toolReader{object: tools.child(name, toolKeys()...), config: config, masker: masker}
		config.Tools[name] = t.read(name)
	}
	if len(r.problems) == 0 {
		r.unusedCredentials(root.child("credentials"), config)
		r.unusedSettings(proxy, audit, config)
	}
	if len(tools.keys) == 0 && len(r.problems) == 0 {
		r.problem(n, "tools", "", "add a tool, such as gh: {binary: /usr/bin/gh}", "there is no tool")
	}
}

func (r *reader) proxy(o object, p *Proxy) {
	p.Timeout = o.duration("timeout", defaultTimeout, time.Millisecond)
	p.InlineThreshold = o.size("inline_threshold", defaultInline, 1)
	p.SecretFile = o.absolute("hmac_secret_file", "")
	p.MaxConnections = o.count("max_connections", defaultConns)
	p.HeaderTimeout = o.duration("read_header_timeout", defaultHeader, time.Millisecond)
	p.MessageTimeout = o.duration("read_message_timeout", defaultMessage, time.Millisecond)
	p.MaxControl = o.size("max_stdin_message_size", defaultControl, 1)
	p.WriteTimeout = o.duration("write_timeout", defaultWrite, time.Millisecond)
	p.MaxOutput = o.size("max_output_size", 0, 0)
	p.MaxLifetime = o.duration("max_connection_lifetime", 0, 0)
	p.ReplayTTL = max(o.duration("replay_cache_ttl", defaultReplayTTL, time.Millisecond), leastReplayTTL)
	p.ReplayEntries = o.count("replay_cache_max_entries", defaultReplaySize)
	p.CredentialTTL = o.duration("credential_cache_ttl", 0, 0)
	if o.has("bw_binary") {
		r.warn(o.keys["bw_binary"], "proxy.bw_binary", "use exec-json: with a helper that runs bw", "Gavel has no sources of the kind bw:")
	}
	p.Sources = source.Settings{
		EnvFile:      o.absolute("env_file", "/run/openclaw/env"),
		PassBinary:   o.absolute("pass_binary", ""),
		GopassBinary: o.absolute("gopass_binary", ""),
		OPBinary:     o.absolute("op_binary", ""),
		VaultBinary:  o.absolute("vault_binary", ""),
		OPTokenFile:  o.absolute("op_token_file", "/etc/openclaw/1password.token"),
		AgeIdentity:  o.absolute("age_identity_file", "/etc/openclaw/age-identity"),
		VaultAddr:    o.text("vault_addr"),
		VaultNS:      o.text("vault_namespace"),
		VaultCACert:  o.absolute("vault_cacert", ""),
		VaultToken:   o.absolute("vault_token_file", ""),
		VaultInsane:  o.boolean("vault_skip_verify", false),
	}
	if p.Sources.VaultInsane {
		r.warn(o.keys["vault_skip_verify"], "proxy.vault_skip_verify", "remove it, and set vault_cacert", "whoever is between the daemon and Vault can read every credential")
	}
}

func (r *reader) audit(o object, a *Audit) {
	a.Enabled = o.boolean("enabled", false)
	a.File = o.absolute("file", "")
	a.Stdout = o.boolean("stdout", false)
	a.IncludeArgs = o.boolean("include_args", true)
	a.IncludeHash = o.boolean("include_output_hash", true)
	a.IncludeDuration = o.boolean("include_duration", true)
	if o.boolean("syslog", false) {
		r.problem(o.keys["syslog"], "audit.syslog", "", "use file or stdout, from which journald or a log shipper takes it", "Gavel does not write to syslog")
	}
	if a.Enabled && a.File == "" && !a.Stdout {
		r.problem(o.node, "audit", "", "set file or stdout", "it is enabled and has no output")
	}
}

func (r *reader) credentials(o object, config *Config) {
	for _, name := range o.sortedKeys() {
		if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`).MatchString(name) {
			r.problem(o.keys[name], o.in(name), "", "use letters, digits, dots, dashes and underscores", "%q is not the name of a credential", name)
			continue
		}
		c := o.child(name, "source", "type", "app_id", "installation_id", "private_key", "api_url", "permissions", "repositories")
		config.Credentials[name] = source.Source{} // it exists, even if it is wrong
		switch {
		case c.has("source") && c.has("type"):
			r.problem(c.keys["type"], c.in("type"), "", "keep one of them", "source and type are mutually exclusive")
		case c.has("type"):
			r.problem(c.keys["type"], c.in("type"), "", "use exec-json: with a helper that mints the token", "Gavel mints no tokens of the type %q", c.values["type"].Value)
		default:
			parsed, err := source.Parse(c.text("source"))
			if err != nil {
				r.problem(o.keys[name], c.in("source"), "", "see docs/credentials.md for the kinds", "%s", err)
			}
			config.Credentials[name] = parsed
		}
	}
}
