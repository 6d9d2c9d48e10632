package main

import (
	"slices"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/analyzer/programs"
	"gavel/bundles"
	"gavel/internal/hostconfig"
	"gavel/packs"
	"gavel/rego"
)

// completion adds cobra's command for shell completion, which refuses the name of another shell,
// and says which words commands and flags take.
func completion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Short = "Generate the completion script of a shell"
			cmd.Example = "  source <(gavel completion bash)"
			cmd.Args = unknownCommand
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	completeFlags(root)
	for _, to := range []struct {
		path  []string
		names func() []string
	}{
		{[]string{"install"}, completedHosts}, {[]string{"uninstall"}, completedHosts}, {[]string{"doctor"}, completedHosts},
		{[]string{"packs", "show"}, completedPacks}, {[]string{"programs"}, completedPrograms},
	} {
		if cmd, _, err := root.Find(to.path); err == nil {
			cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return to.names(), cobra.ShellCompDirectiveNoFileComp
			}
		}
	}
}

// completeFlags completes the flags of a command, and of those below it, that take one of a few words.
func completeFlags(cmd *cobra.Command) {
	for name, words := range map[string]func() []string{
		"output":        func() []string { return []string{outputText, outputJSON} },
		"evaluator":     func() []string { return wordsOf(bundles.Evaluators()) },
		"exec-ask":      func() []string { return []string{"off", "on-miss", "always"} },
		"exec-security": func() []string { return []string{"deny", "allowlist", "full"} },
		"log-mode":      func() []string { return []string{logAsync, logStrict} },
		"scope":         func() []string { return wordsOf(gavel.TokenScopes(0)) },
		"for":           func() []string { return append(completedHosts(), "ci") },
	} {
		if name == "for" && cmd.Name() != "init" || cmd.LocalFlags().Lookup(name) == nil {
			continue
		}
		_ = cmd.RegisterFlagCompletionFunc(name, // the flag is there, and has none
			func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return words(), cobra.ShellCompDirectiveNoFileComp
			})
	}
	for _, below := range cmd.Commands() {
		completeFlags(below)
	}
}

func wordsOf[T ~string](list []T) []string {
	words := make([]string, len(list))
	for i, value := range list {
		words[i] = string(value)
	}
	return words
}

func completedHosts() []string {
	hosts, err := hostconfig.Hosts()
	if err != nil {
		return nil
	}
	return hostconfig.Names(hosts)
}

func completedPacks() []string {
	all, err := packs.Read()
	if err != nil {
		return nil
	}
	names := make([]string, len(all))
	for i, pack := range all {
		names[i] = pack.Name + "\t" + pack.Promise
	}
	return names
}

func completedPrograms() []string {
	catalog, err := programs.Read(rego.Policy)
	if err != nil {
		return nil
	}
	names := catalogued(catalog)
	slices.Sort(names)
	return names
}
