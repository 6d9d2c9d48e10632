package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"gavel/internal/hostconfig"
	"gavel/internal/nearest"
	"gavel/packs"
)

// likelyHost returns the host that a mistyped or shortened name most likely means; "" if none is near.
func likelyHost(given string, names []string) string {
	if i := slices.IndexFunc(names, func(name string) bool { return given != "" && strings.HasPrefix(name, given) }); i >= 0 {
		return names[i]
	}
	return nearest.Name(given, names)
}

// fullHostName returns the one host that a short name begins, such as claude-code for claude, or else
// the name itself.
func fullHostName(given string, names []string) string {
	var found []string
	for _, name := range names {
		if given != "" && strings.HasPrefix(name, given+"-") {
			found = append(found, name)
		}
	}
	if len(found) != 1 || slices.Contains(names, given) {
		return given
	}
	return found[0]
}

// startersFor returns what is specific to one host, or to several that are separated by commas: they
// share a policy, in which each has its agents.
func startersFor(list string) (*starterFor, error) {
	hosts := map[string]*starterFor{}
	if err := yaml.Unmarshal(starters, &hosts); err != nil {
		return nil, fmt.Errorf("read the hosts of starters.yaml: %w", err)
	}
	names := slices.Sorted(maps.Keys(hosts))[1:] // without "", the general policy
	all := &starterFor{Answer: true, ByID: map[string]starterAgent{}}
	var titles []string
	for _, host := range strings.Split(list, ",") {
		starter := hosts[fullHostName(host, names)]
		if starter == nil || host == "" && list != "" {
			return nil, fix(fmt.Errorf("there is no policy for the host %q%s", host, meant(likelyHost(host, names))),
				"use one of "+strings.Join(names, ", ")+", or leave --for out")
		}
		titles = append(titles, starter.Title)
		all.Answer = all.Answer && starter.Answer
		maps.Copy(all.ByID, starter.ByID)
	}
	if all.Title = strings.Join(titles, ", "); all.Answer {
		return all, nil
	}
	return all, all.denyWhatPacksAsk()
}

// denyWhatPacksAsk adds rules that deny everything that packs ask about, for hosts where nobody can
// answer.
func (s *starterFor) denyWhatPacksAsk() error {
	all, err := packs.Read()
	if err != nil {
		return err
	}
	for _, pack := range all {
		for _, rule := range pack.Rules {
			if rule["effect"] == "ask" {
				rule["effect"] = "deny"
				s.Denied = append(s.Denied, ruleInShort(rule))
			}
		}
	}
	return nil
}

// nextFor returns the commands that install Gavel for the hosts of a policy, one a line.
func nextFor(list string) string {
	hosts, err := hostconfig.Hosts()
	if err != nil {
		return ""
	}
	var lines string
	for _, name := range strings.Split(list, ",") {
		if host := hostconfig.Named(hosts, fullHostName(name, hostconfig.Names(hosts))); host != nil && host.Manual == "" {
			lines += "  gavel install " + host.Name + "\n"
		}
	}
	if lines != "" {
		lines += "  gavel doctor\n"
	}
	return lines
}
