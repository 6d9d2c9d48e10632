package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"gavel/hosts"
	"gavel/hosts/all"
	"gavel/internal/hostconfig"
	"gavel/internal/strictjson"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor [HOST]...",
		Short: "Find the installed programs that run agents, and check that Gavel's hooks work",
		Long: `Find the installed programs that run agents. For each of them, report whether Gavel's hooks
are installed, trusted and in force, whether they fail open or are switched off, and what to
do about it. Each configured hook runs twice: with a payload as the host sends it, and with
one that it must refuse. Both are probes ($GAVEL_PROBE): a policy decides them and the log
shows them, but they are always denied, so that no person is asked. The report also lists
what each host does without asking its hooks.

The exit code is 1 if calls of an installed host can get past Gavel.`,
		Example: "  gavel doctor\n  gavel doctor claude-code --output json",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.doctor(cmd.Context(), args) },
	}
}

func (a *app) doctor(ctx context.Context, names []string) error {
	list, err := hostconfig.Hosts()
	if err != nil {
		return err
	}
	if len(names) > 0 {
		list = nil
		for _, name := range names {
			host, err := hostNamed(name)
			if err != nil {
				return err
			}
			list = append(list, host)
		}
	}
	m, err := a.machine("")
	if err != nil {
		return err
	}
	d := hostconfig.Doctor{Machine: m, Look: exec.LookPath, Run: hostconfig.Run}
	reports := []hostconfig.Report{}
	for _, host := range list {
		report := d.Examine(ctx, host)
		if note := unrewrittenNote(host); note != "" {
			report.Notes = append(report.Notes, note)
		}
		if !report.Present && len(names) == 0 {
			continue
		}
		reports = append(reports, report)
		if len(report.Problems) > 0 {
			a.failed()
		}
		if !a.json() {
			a.say(reportText(report))
		}
	}
	if a.json() {
		return strictjson.Write(a.stdout, map[string]any{"hosts": reports})
	}
	if len(reports) == 0 {
		a.say("none of these hosts is installed: " + hostNames() + "\n")
	}
	return nil
}

// unrewrittenNote returns the note about a host that runs a command as it was written instead of as
// it was judged, as its translator says; "" for any other host.
func unrewrittenNote(host hostconfig.Host) string {
	translator, known := all.Named(host.Name)
	payload, err := hosts.ReadPayload([]byte(host.Probe))
	if !known || err != nil {
		return ""
	}
	if request, err := translator.Read(payload); err != nil || request.Rewrites {
		return ""
	}
	return "it runs a command as it was written, not as it was judged: its shell looks up the programs again; " +
		"the reason of each decision says so"
}

func reportText(r hostconfig.Report) string {
	state := "Gavel's hooks work"
	switch {
	case !r.Present:
		state = "not installed"
	case len(r.Installed) == 0:
		state = "NOT JUDGED"
	case len(r.Problems) > 0:
		state = "PROBLEMS"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", strings.TrimSpace(r.Title+" "+r.Version), state)
	for _, file := range r.Installed {
		fmt.Fprintf(&b, "  installed  %s\n", clean(file))
	}
	for _, proof := range r.Proofs {
		fmt.Fprintf(&b, "  proof      %s\n", clean(proof))
	}
	for _, problem := range r.Problems {
		fmt.Fprintf(&b, "  problem    %s\n", clean(problem.What))
		if problem.Fix != "" {
			fmt.Fprintf(&b, "    fix      %s\n", clean(problem.Fix))
		}
	}
	for _, what := range r.Unhooked {
		fmt.Fprintf(&b, "  no hook    %s\n", clean(what))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "  note       %s\n", clean(note))
	}
	return b.String()
}
