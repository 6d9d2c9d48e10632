package config

import (
	"slices"
	"strconv"
)

// canonicalizeChannels lower-cases the ids of channels, accounts and senders. It refuses tool
// policies outside groups (TOOLS-7), where nothing reads them: ignoring them would loosen the
// author's policy.
func canonicalizeChannels(channels *node, problems *problemList) {
	lowerKeys(channels, "channels", "channel", problems)
	for _, channel := range channels.fields {
		path := join("channels", channel.key)
		canonicalizeGroups(channel.value, path, problems)
		refuseUnreadPolicies(channel.value, path, problems, "groups", "accounts")
		accounts := channel.value.child("accounts")
		if accounts == nil {
			continue
		}
		path += ".accounts"
		lowerKeys(accounts, path, "account", problems)
		for _, account := range accounts.fields {
			canonicalizeGroups(account.value, join(path, account.key), problems)
			refuseUnreadPolicies(account.value, join(path, account.key), problems, "groups")
		}
	}
}

func canonicalizeGroups(holder *node, path string, problems *problemList) {
	groups := holder.child("groups")
	if groups == nil {
		return
	}
	path += ".groups"
	trimKeys(groups, path, "group", problems)
	for _, group := range groups.fields {
		below := join(path, group.key)
		lowerKeys(group.value.child("toolsBySender"), below+".toolsBySender", "sender", problems)
		refuseUnreadPolicies(group.value, below, problems, "tools", "toolsBySender")
	}
}

// refuseUnreadPolicies refuses tool policies below all fields of a mapping but those in read.
func refuseUnreadPolicies(n *node, path string, problems *problemList, read ...string) {
	if n.kind != mapping {
		return
	}
	for _, f := range n.fields {
		if !slices.Contains(read, f.key) {
			findUnreadPolicies(f.value, join(path, f.key), problems)
		}
	}
}

func findUnreadPolicies(n *node, path string, problems *problemList) {
	for i, item := range n.items {
		findUnreadPolicies(item, path+"["+strconv.Itoa(i)+"]", problems)
	}
	for _, f := range n.fields {
		if f.key == "toolsBySender" || f.key == "tools" && isToolPolicy(f.value) {
			problems.add(f.location, join(path, f.key), "a tool policy in this location is not read", "",
				"put it under channels.<channel>.groups.<id> or channels.<channel>.accounts.<account>.groups.<id>")
			continue
		}
		findUnreadPolicies(f.value, join(path, f.key), problems)
	}
}

func isToolPolicy(n *node) bool {
	return n.get("allow") != nil || n.get("alsoAllow") != nil || n.get("deny") != nil
}
