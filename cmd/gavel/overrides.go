package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/bundles"
	"gavel/internal/nearest"
)

// overridable is a setting that a flag or a variable can override.
type overridable struct {
	setting  string
	flag     string
	variable string // without OC_ or GAVEL_
	values   []string
}

// overridables are the settings of the flags below. Profiles are checked with the policy,
// which may define some.
func overridables() []overridable {
	return []overridable{
		{"security", "exec-security", "EXEC_SECURITY", []string{"deny", "allowlist", "full"}},
		{"ask", "exec-ask", "EXEC_ASK", []string{"off", "on-miss", "always"}},
		{"sandbox", "no-sandbox", "SANDBOX", []string{"off"}},
		{"profile", "profile", "TOOL_PROFILE", nil},
	}
}

// addOverrides adds the flags that win over the configuration, and reads them and their
// variables before the command runs.
func (a *app) addOverrides(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.String("exec-security", "", "security of commands, instead of what the policy says: deny, allowlist or full (OC_EXEC_SECURITY)")
	flags.String("exec-ask", "", "when people are asked about commands: off, on-miss or always (OC_EXEC_ASK)")
	flags.Bool("no-sandbox", false, "no agent is in a sandbox unless its call says so (OC_SANDBOX=off)")
	flags.String("profile", "", "profile of the main agent (OC_TOOL_PROFILE)")
	flags.StringArray("allow-tool", nil, "add a tool to the profile and to tools.allow; may be repeated")
	flags.StringArray("deny-tool", nil, "deny a tool; may be repeated")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) (err error) {
		a.overrides, err = a.overriding(cmd)
		return err
	}
}

// overriding reads the flags and the variables. A flag wins over a variable.
func (a *app) overriding(cmd *cobra.Command) (bundles.Overrides, error) {
	given := bundles.Overrides{Settings: map[string]bundles.Override{}}
	for _, o := range overridables() {
		found, err := a.variable(o)
		if err != nil {
			return given, err
		}
		if flag := cmd.Flags().Lookup(o.flag); flag.Changed {
			found = bundles.Override{Value: flag.Value.String(), Source: "--" + o.flag}
			if o.setting == "sandbox" {
				if found.Value == "false" {
					continue
				}
				found.Value = "off"
			}
		}
		if found.Source == "" {
			continue
		}
		if err := o.check(found); err != nil {
			return given, err
		}
		given.Settings[o.setting] = found
	}
	for flag, into := range map[string]*[]bundles.Override{"allow-tool": &given.Allow, "deny-tool": &given.Deny} {
		names, err := cmd.Flags().GetStringArray(flag)
		if err != nil {
			return given, err
		}
		for _, name := range names {
			if strings.TrimSpace(name) == "" {
				return given, fix(fmt.Errorf("--%s is blank", flag), "name a tool, such as --"+flag+" browser")
			}
			*into = append(*into, bundles.Override{Value: name, Source: "--" + flag})
		}
	}
	return given, nil
}

// variable reads OC_X and GAVEL_X. If both are set, they must agree.
func (a *app) variable(o overridable) (bundles.Override, error) {
	openclaw, own := "OC_"+o.variable, "GAVEL_"+o.variable
	first, second := a.getenv(openclaw), a.getenv(own)
	switch {
	case first != "" && second != "" && first != second:
		return bundles.Override{}, fix(fmt.Errorf("%s is %q, but %s is %q", openclaw, first, own, second), "set only one of them, or set both to the same value")
	case first == "" && second == "":
		return bundles.Override{}, nil
	case second != "":
		openclaw = own
	}
	return bundles.Override{Value: cmp.Or(second, first), Source: openclaw}, nil
}

// check refuses a value that does not exist.
func (o overridable) check(given bundles.Override) error {
	if o.values == nil {
		if strings.TrimSpace(given.Value) == "" {
			return fix(fmt.Errorf("%s is blank", given.Source), "name a profile, such as coding")
		}
		return nil
	}
	for _, value := range o.values {
		if given.Value == value {
			return nil
		}
	}
	advice := "use " + gavel.OneOf(o.values)
	if near := nearest.Name(given.Value, o.values); near != "" {
		advice += "; did you mean " + near + "?"
	}
	return fix(fmt.Errorf("%s: unknown value %q", given.Source, given.Value), advice)
}
