package wrappers

import (
	"fmt"
	"slices"
	"time"

	"gavel/credentials/source"
)

// Settings that are valid and can never have an effect are warned about: their author meant something
// by them.

// requestEnv warns of variables that a request may set according to request_env, and that are dropped
// from it all the same.
func (t *toolReader) requestEnv(tool *Tool) {
	if tool.RequestEnv == nil {
		return
	}
	names := map[string]bool{}
	for i, item := range t.list("request_env") {
		path, name := fmt.Sprintf("%s[%d]", t.in("request_env"), i), item.Value
		own := func(v Variable) bool { return v.Name == name }
		switch {
		case names[name]:
			t.warn(item, path, "remove it", "%s is in the list twice", name)
		case t.catalog.Denied(name):
			t.warn(item, path, "remove it, or give it one value in forced_env",
				"%s has no effect here: it makes programs run, load, trust or contact something else, and is dropped from every request", name)
		case slices.ContainsFunc(tool.Env, own):
			t.warn(item, path, "remove it here or in env", "%s has no effect here: the value in env holds", name)
		case slices.ContainsFunc(tool.ForcedEnv, own):
			t.warn(item, path, "remove it here or in forced_env", "%s has no effect here: the value in forced_env holds", name)
		}
		names[name] = true
	}
}

// overridden warns of a variable to which config_file gives another value.
func (t *toolReader) overridden(tool *Tool) {
	if tool.ConfigFile == nil {
		return
	}
	for _, key := range []string{"env", "forced_env"} {
		if o := t.child(key); o.has(configHome) {
			t.warn(o.keys[configHome], o.in(configHome), "remove it, or config_file", "it has no effect: config_file sets %s to the directory of the file", configHome)
		}
	}
	o := t.child("config_file")
	for i, name := range tool.ConfigFile.Credentials {
		used := slices.ContainsFunc(placeholders().FindAllString(tool.ConfigFile.Template, -1), func(text string) bool { return tool.ConfigFile.credential(text) == name })
		if !used {
			t.warn(o.values["credentials"], fmt.Sprintf("%s[%d]", o.in("credentials"), i), "write {{ ."+name+" }} into the template, or remove it", "the template does not use the credential %q", name)
		}
	}
}

// configHome is the variable by which a tool finds a config_file.
const configHome = "XDG_CONFIG_HOME"

// unusedCredentials warns of credentials that no tool is given.
func (r *reader) unusedCredentials(o object, config *Config) {
	used := map[string]bool{}
	for _, tool := range config.Tools {
		for _, name := range tool.Uses() {
			used[name] = true
		}
	}
	for _, name := range o.sortedKeys() {
		if _, known := config.Credentials[name]; known && !used[name] {
			r.warn(o.keys[name], o.in(name), "name it in env or config_file of a tool, or remove it", "no tool is given this credential")
		}
	}
}

// unusedSettings warns of settings of sources that no credential has, and of those that another setting
// makes useless.
func (r *reader) unusedSettings(proxy, audit object, config *Config) {
	kinds := map[source.Kind]bool{}
	for _, credential := range config.Credentials {
		kinds[credential.Kind] = true
	}
	for _, key := range proxy.sortedKeys() {
		if kind, ok := settingOf(key); ok && !kinds[kind] {
			r.warn(proxy.keys[key], proxy.in(key), "remove it, or correct the source of the credential", "it has no effect: no credential has a source of the kind %s", kind)
		}
	}
	if config.Proxy.ReplayTTL == leastReplayTTL && proxy.duration("replay_cache_ttl", leastReplayTTL, time.Millisecond) < leastReplayTTL {
		r.warn(proxy.keys["replay_cache_ttl"], proxy.in("replay_cache_ttl"), "write 10s or more", "it counts as %s, the least", leastReplayTTL)
	}
	if !config.Audit.Enabled {
		for _, key := range audit.sortedKeys() {
			if key != "enabled" {
				r.warn(audit.keys[key], audit.in(key), "set audit.enabled: true, or remove it", "it has no effect, because audit is not enabled")
			}
		}
	}
}

// settingOf returns the kind of source that a setting of proxy is about. ok is false for any other.
func settingOf(key string) (kind source.Kind, ok bool) {
	kind, ok = map[string]source.Kind{"env_file": source.Env, "pass_binary": source.Pass, "gopass_binary": source.Gopass, "op_binary": source.OP,
		"op_token_file": source.OP, "age_identity_file": source.Age, "vault_binary": source.Vault, "vault_addr": source.Vault, "vault_namespace": source.Vault,
		"vault_skip_verify": source.Vault, "vault_cacert": source.Vault, "vault_token_file": source.Vault}[key]
	return kind, ok
}

// endsEarlier warns of a time limit that max_connection_lifetime makes useless.
func (t *toolReader) endsEarlier(tool *Tool) {
	lifetime := t.config.Proxy.MaxLifetime
	if t.has("timeout") && lifetime > 0 && tool.Timeout > lifetime {
		t.warn(t.keys["timeout"], t.in("timeout"), "raise proxy.max_connection_lifetime, or lower it", "it has no effect: a connection ends after %s (proxy.max_connection_lifetime)", lifetime)
	}
}
