package main

import (
	"encoding/json"
	"testing"

	"gavel"
)

// groupPolicy compares the tools that are left in a group.
func groupPolicy(t *testing.T, r row) trial {
	in := part[struct {
		Config                                                    map[string]any
		MessageProvider, GroupID, SenderID, SessionKey, SpawnedBy string
	}](t, r.Input)
	want, all := part[struct{ Policy *toolLists }](t, r.Expect).Policy, readCatalog(t).names()
	return trial{config: everything(in.Config), want: passing(all, want.keeps), observe: func(p scene) string {
		return p.seen(all, func(c *gavel.Call) {
			c.Session.Key, c.Group = in.SessionKey, gavel.Group{Channel: in.MessageProvider, ID: in.GroupID}
			c.Sender.ID, c.Sender.Channel = in.SenderID, in.MessageProvider
		})
	}}
}

// senderPolicy compares which entry of toolsBySender a sender gets. The tools a, b and c
// are those of a plugin.
func senderPolicy(t *testing.T, r row) trial {
	in := part[struct {
		ToolsBySender                                    json.RawMessage
		SenderID, SenderE164, SenderUsername, SenderName string
	}](t, r.Input)
	want, all := part[struct{ Policy *toolLists }](t, r.Expect).Policy, []string{"a", "b", "c", "read"}
	config := map[string]any{"channels": map[string]any{"telegram": map[string]any{"groups": map[string]any{"g": map[string]any{"toolsBySender": in.ToolsBySender}}}}}
	return trial{config: everything(config), want: passing(all, want.keeps), observe: func(p scene) string {
		return p.seen(all, plugin("custom", "a", "b", "c"), func(c *gavel.Call) {
			c.Group = gavel.Group{Channel: "telegram", ID: "g"}
			c.Sender.Channel, c.Sender.ID, c.Sender.E164, c.Sender.Username, c.Sender.Name = "telegram", in.SenderID, in.SenderE164, in.SenderUsername, in.SenderName
		})
	}}
}

// everything gives a configuration an agent whose profile removes nothing.
func everything(config map[string]any) map[string]any {
	return with(with(config, "tools", map[string]any{"alsoAllow": []string{"*"}}), "agents", map[string]any{"main": map[string]any{}})
}
