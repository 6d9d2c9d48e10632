package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/analyzer/programs"
	"gavel/credentials/wire"
	"gavel/credentials/wrap"
	"gavel/credentials/wrappers"
	"gavel/rego"
)

func (a *app) credentialsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "credentials",
		Short: "Run tools with credentials that agents never see",
		Long: `Run tools with credentials that agents never see. A daemon has the credentials and runs the
tools; gavel wrap, in the sandbox of the agent, asks it. The protocol and wrappers.yaml are
those of claw-wrap. docs/credentials.md has the set-up and what it protects against.`,
		Example: `  gavel credentials check wrappers.yaml
  gavel credentials serve --config wrappers.yaml --socket /run/openclaw/secrets.sock --auth /run/openclaw/auth
  gavel wrap gh pr list`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.credentialsServeCommand(), a.credentialsCheckCommand(),
		a.credentialsAdminCommand(wire.AdminList, "list", "List the tools of a running daemon", "  gavel credentials list\n  gavel credentials list --runtime /run/openclaw"),
		a.credentialsAdminCommand(wire.AdminCheck, "status", "Show whether a running daemon can read its credentials", "  gavel credentials status\n  gavel credentials status --runtime /run/openclaw"))
	return cmd
}

func (a *app) credentialsCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Check a wrappers.yaml: list every mistake",
		Long: `Check a wrappers.yaml: list every mistake, with its line. Settings that are valid but suspicious,
or that can never have an effect, are warnings. No credential is read.

Exit codes: 0 the file can be used, 1 it cannot.`,
		Example: "  gavel credentials check wrappers.yaml",
		Args:    exactlyOne("file", "name the wrappers.yaml"),
		RunE: func(_ *cobra.Command, args []string) error {
			config, err := loadWrappers(args[0])
			if errors.Is(err, fs.ErrNotExist) {
				return fix(err, "check the path; docs/credentials.md has an example of the file")
			}
			if err != nil {
				return err
			}
			for _, warning := range config.Warnings {
				a.complain("warning: "+warning.String(), warning.Fix)
			}
			return a.print(fmt.Sprintf("%s can be used: %s, %s\n", args[0],
				count(len(config.Tools), "tool", "tools"), count(len(config.Credentials), "credential", "credentials")))
		},
	}
}

// loadWrappers reads a wrappers.yaml. A program is known if the catalog has its options, and a variable
// is denied as it is in requests.
func loadWrappers(path string) (*wrappers.Config, error) {
	catalog, err := programs.Read(rego.Policy)
	if err != nil {
		return nil, err
	}
	environment, err := credentialEnvironment()
	if err != nil {
		return nil, err
	}
	return wrappers.Load(path, wrappers.Catalog{Denied: environment.Denied, Known: func(program string) bool {
		entry, _ := catalog.Find(filepath.Base(program))
		return entry != nil && catalog.DescribedBy(entry) != nil
	}})
}

// print writes to standard output.
func (a *app) print(text string) error {
	if _, err := fmt.Fprint(a.stdout, text); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// credentialsAdminCommand returns a command that sends a request to a running daemon.
func (a *app) credentialsAdminCommand(request, name, short, example string) *cobra.Command {
	var runtime string
	cmd := &cobra.Command{
		Use: name, Short: short, Example: example, Args: none,
		Long: short + ". The output is the daemon's\nanswer, in JSON. Only the user that the daemon serves may ask, with an executable that the\ndaemon allows.",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.credentialsAdmin(cmd.Context(), request, runtime) },
	}
	cmd.Flags().StringVar(&runtime, "runtime", "", "directory of the daemon's socket and secret (default: $CLAW_WRAP_RUNTIME_DIR, or /run/openclaw)")
	return cmd
}

func (a *app) credentialsAdmin(ctx context.Context, request, runtime string) error {
	place, err := wrap.FindPlace(func(name string) string {
		if runtime != "" {
			return runtime
		}
		return a.getenv(name)
	})
	if err != nil {
		return err
	}
	answer, err := wrap.Admin(ctx, place, request, a.now())
	if err != nil {
		return fix(err, "start the daemon with gavel credentials serve, or name its directory with --runtime")
	}
	if strings.HasPrefix(string(answer), `{"error"`) {
		a.failed()
	}
	if own := thisBuild().Version; otherVersion(answer, own) != "" {
		a.complain(fmt.Sprintf("warning: the daemon is gavel %s, and this is gavel %s", otherVersion(answer, own), own), "restart the daemon after an update")
	}
	return a.print(string(answer) + "\n")
}

// otherVersion returns the version of the daemon that answered, if it differs from own; else "".
func otherVersion(answer []byte, own string) string {
	var daemon struct{ Version string }
	if json.Unmarshal(answer, &daemon) != nil || daemon.Version == own {
		return ""
	}
	return daemon.Version
}

// fileMode reads the mode of a file, such as 0600 or 0o640.
func fileMode(flag, text string, allowed ...fs.FileMode) (fs.FileMode, error) {
	mode, err := strconv.ParseUint(strings.TrimPrefix(text, "0o"), 8, 12)
	for _, permitted := range allowed {
		if err == nil && fs.FileMode(mode) == permitted {
			return permitted, nil
		}
	}
	names := make([]string, len(allowed))
	for i, permitted := range allowed {
		names[i] = fmt.Sprintf("%04o", permitted)
	}
	return 0, fix(fmt.Errorf("%s %q is not a mode that keeps others out", flag, text), "use "+strings.Join(names, " or "))
}

// notAllowed returns a decision that denies for a reason outside the policy.
func notAllowed(code string, err error) gavel.Decision {
	return gavel.Decision{Effect: gavel.Deny, Reasons: []gavel.Reason{{Layer: "gavel", Code: code, Message: err.Error()}}}
}
