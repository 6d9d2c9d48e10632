package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"gavel/credentials/wire"
)

// admin answers an administrator's request.
func (c *client) admin(ctx context.Context, now *state, request *wire.Request) {
	var answer any
	switch request.Admin {
	case wire.AdminList:
		list := wire.ToolList{Tools: map[string]wire.ToolEntry{}, Version: c.cfg.Version}
		for name, tool := range now.config.Tools {
			mode := "env"
			if tool.ConfigFile != nil {
				mode = "config_file"
			}
			list.Tools[name] = wire.ToolEntry{Binary: tool.Binary, Mode: mode}
		}
		answer = list
	case wire.AdminCheck:
		answer = c.check(ctx, now)
	default:
		c.refuse(&wire.RefusedError{Text: wire.TextNoAdmin, Why: errors.New(request.Admin)})
		return
	}
	text, err := json.Marshal(answer)
	if err != nil {
		c.refuse(err)
		return
	}
	c.cfg.Logger.Info("an administrator's request was answered", "request", request.Admin, "pid", c.who.pid, "exe", c.who.exe)
	_ = c.write(text)
}

// check reads each credential from its source, and never from what is kept.
func (c *client) check(ctx context.Context, now *state) wire.CredentialCheck {
	answer := wire.CredentialCheck{Credentials: map[string]wire.CredentialState{}, Version: c.cfg.Version}
	for _, name := range slices.Sorted(maps.Keys(now.config.Credentials)) {
		value, err := now.vault.reader.Read(ctx, now.config.Credentials[name])
		if err != nil {
			c.cfg.Logger.Warn("a credential cannot be read", "credential", name, "error", err)
			answer.Credentials[name] = wire.CredentialState{Status: "failed"}
			continue
		}
		answer.Credentials[name] = wire.CredentialState{Status: "ok", Preview: wire.Preview(value.Text)}
	}
	return answer
}
