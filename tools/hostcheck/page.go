package main

import (
	"fmt"
	"slices"
	"strings"
)

// pageOf is the page with the results.
func pageOf(results []result) string {
	var hosts []host
	var order []cell
	for _, r := range results {
		if !slices.ContainsFunc(hosts, func(h host) bool { return h.name == r.host.name }) {
			hosts = append(hosts, r.host)
		}
	}
	for _, c := range cells() {
		if slices.ContainsFunc(results, func(r result) bool { return r.cell.name == c.name }) {
			order = append(order, c)
		}
	}
	var b strings.Builder
	b.WriteString("# Hooks in real hosts\n\nWritten by `make hosts`, which installs each host from npm, installs the hooks with `gavel install`, and lets a scripted model make\n" +
		"calls in an empty home directory. *Ran* and *not run* say whether the file that the call would leave was there afterwards. A cell in **bold** is\n" +
		"not as it should be.\n\n| call |")
	for _, h := range hosts {
		fmt.Fprintf(&b, " %s %s |", h.name, h.version)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(hosts)) + "\n")
	for _, c := range order {
		fmt.Fprintf(&b, "| %s |", c.about)
		for _, h := range hosts {
			i := slices.IndexFunc(results, func(r result) bool { return r.host.name == h.name && r.cell.name == c.name })
			switch {
			case i < 0:
				b.WriteString(" – |")
			case results[i].got != results[i].want:
				fmt.Fprintf(&b, " **%s** |", results[i].got)
			default:
				fmt.Fprintf(&b, " %s |", results[i].got)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
