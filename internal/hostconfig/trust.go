package hostconfig

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// Trust plans the entries in Codex's config.toml that trust its hooks of Gavel as they are now.
// What the file says otherwise stays.
func (m Machine) Trust(hooks []CodexHook) (Change, error) {
	change, err := m.codexConfig()
	if err != nil {
		return change, err
	}
	text := string(change.Before)
	for _, hook := range hooks {
		if hook.Trusted() {
			continue
		}
		if !regexp.MustCompile(`^sha256:[0-9a-f]+$`).MatchString(hook.Hash) || strings.ContainsAny(hook.Key, "\"\\\n") {
			return change, fmt.Errorf("trust the hooks of Codex: the key %q or the hash %q is in an unknown form", hook.Key, hook.Hash)
		}
		text = trusting(text, hook)
	}
	if text != "" || change.Before != nil {
		change.After = []byte(text)
	}
	return change, nil
}

// codexConfig is Codex's config.toml as it is.
func (m Machine) codexConfig() (change Change, err error) {
	dir := m.variable("CODEX_HOME")
	if dir == "" {
		dir = filepath.Join(m.Home, ".codex")
	}
	change = Change{Path: filepath.Join(dir, "config.toml"), Mode: 0o600}
	change.Before, err = read(change.Path)
	return change, err
}

// trusting replaces the table of a hook, or adds one at the end, where a table can always be.
func trusting(text string, hook CodexHook) string {
	table := fmt.Sprintf("[hooks.state.%q]\ntrusted_hash = %q\n", hook.Key, hook.Hash)
	if from, to := tableOf(text, hook.Key); to > 0 {
		return text[:from] + table + text[to:]
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if text != "" {
		text += "\n"
	}
	return text + table
}

// tableOf returns where the table of a hook begins and ends; 0 and 0 if there is none. A blank
// line or a comment behind it belongs to what comes next.
func tableOf(text, key string) (from, to int) {
	key = regexp.QuoteMeta(key)
	at := regexp.MustCompile(`(?m)^[ \t]*\[hooks\.state\.(?:"` + key + `"|'` + key + `')\][ \t\r]*$\n?(?:[ \t]*[^\s#\[].*$\n?)*`).FindStringIndex(text)
	if at == nil {
		return 0, 0
	}
	return at[0], at[1]
}

// distrust plans that Codex forgets the hooks of Gavel in a file of hooks. The file is put back
// as it was, byte for byte, if nothing else has changed since a backup.
func (m Machine) distrust(host Host, name string, text []byte) (Change, error) {
	change, err := m.codexConfig()
	if change.After = change.Before; err != nil || change.Before == nil {
		return change, err
	}
	now := string(change.Before)
	var trusted []CodexHook
	for _, key := range keysIn(host, name, text) {
		from, to := tableOf(now, key)
		hash := regexp.MustCompile(`(?m)^\s*trusted_hash\s*=\s*["'](sha256:[0-9a-f]+)["']`).FindStringSubmatch(now[from:to])
		if to == 0 || hash == nil {
			continue
		}
		trusted = append(trusted, CodexHook{Key: key, Hash: hash[1]})
	}
	if len(trusted) == 0 {
		return change, nil
	}
	for _, hook := range trusted {
		from, to := tableOf(now, hook.Key)
		before, after := now[:from], now[to:]
		if strings.HasSuffix(before, "\n\n") && (after == "" || after[0] == '\n') {
			before = before[:from-1]
		}
		now = before + after
	}
	change.After = []byte(now)
	change.restore(func(was []byte) []byte {
		text := string(was)
		for _, hook := range trusted {
			text = trusting(text, hook)
		}
		return []byte(text)
	})
	return change, nil
}

// keysIn returns the names that Codex gives to the hooks of Gavel in a file: the file, the event,
// and the numbers of the group and the hook.
func keysIn(host Host, name string, text []byte) (keys []string) {
	doc, err := parse(text)
	if err != nil {
		return nil
	}
	files := []string{name}
	if real, err := filepath.EvalSymlinks(name); err == nil && real != name {
		files = append(files, real)
	}
	for _, list := range host.Lists {
		_, event, _ := cutLast(list.At)
		event = strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(event, "${1}_${2}"))
		value, _ := doc.get(list.At)
		groups, _ := value.([]any)
		for i, group := range groups {
			object, _ := group.(map[string]any)
			inner, _ := object["hooks"].([]any)
			for j, hook := range inner {
				for _, file := range files {
					if isGavel(hook) {
						keys = append(keys, fmt.Sprintf("%s:%s:%d:%d", file, event, i, j))
					}
				}
			}
		}
	}
	return keys
}
