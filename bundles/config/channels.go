package config

import (
	"slices"
	"strconv"
)

// canonicalizeChannels lower-cases the ids of channels, accounts and senders, and refuses
// tool policies where nothing reads them: ignoring them would loosen the author's policy.
// Groups are read (TOOLS-7).
func canonicalizeChannels(channels *node, found *problems) {
	lowerKeys(channels, "channels", "channel", found)
	for _, channel := range channels.fields {
		path := join("channels", channel.key)
		canonicalizeGroups(channel.value, path, found)
		refuseHidden(channel.value, path, found, "groups", "accounts")
		accounts := channel.value.child("accounts")
		if accounts == nil {
			continue
		}
		path += ".accounts"
		lowerKeys(accounts, path, "account", found)
		for _, account := range accounts.fields {
			canonicalizeGroups(account.value, join(path, account.key), found)
			refuseHidden(account.value, join(path, account.key), found, "groups")
		}
	}
}

func canonicalizeGroups(holder *node, path string, found *problems) {
	groups := holder.child("groups")
	if groups == nil {
		return
	}
	path += ".groups"
	trimKeys(groups, path, "group", found)
	for _, group := range groups.fields {
		below := join(path, group.key)
		lowerKeys(group.value.child("toolsBySender"), below+".toolsBySender", "sender", found)
		refuseHidden(group.value, below, found, "tools", "toolsBySender")
	}
}

// refuseHidden looks for tool policies below fields of a mapping that nothing reads.
func refuseHidden(n *node, path string, found *problems, read ...string) {
	if n.kind != mapping {
		return
	}
	for _, f := range n.fields {
		if !slices.Contains(read, f.key) {
			findHidden(f.value, join(path, f.key), found)
		}
	}
}

func findHidden(n *node, path string, found *problems) {
	for i, item := range n.items {
		findHidden(item, path+"["+strconv.Itoa(i)+"]", found)
	}
	for _, f := range n.fields {
		if f.key == "toolsBySender" || f.key == "tools" && isPolicy(f.value) {
			found.add(f.place, join(path, f.key), "nothing reads a tool policy in this location", "",
				"put it under channels.<channel>.groups.<id> or channels.<channel>.accounts.<account>.groups.<id>")
			continue
		}
		findHidden(f.value, join(path, f.key), found)
	}
}

func isPolicy(n *node) bool {
	return n.get("allow") != nil || n.get("alsoAllow") != nil || n.get("deny") != nil
}
