package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/protected"
	"gavel/bundles"
	"gavel/internal/nearest"
)

// Exit codes (LAYERS-7). An error takes precedence over a denial, and a denial over a question.
const (
	exitOK     = 0
	exitError  = 1
	exitDenied = 2
	exitAsked  = 3
)

// The values of --output.
const (
	outputText = "text"
	outputJSON = "json"
)

// app is the command line, with its streams, environment and clock as fields, so that tests can
// run it in their own process.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	terminal       terminal
	getenv         func(string) string
	getwd          func() (string, error)
	now            func() time.Time
	// programs are shared with other apps of this process; nil shares nothing.
	programs *bundles.CompileCache
	// tables are the analyzer's tables of the shipped policy. Apps may share them.
	tables func() (analyzer.Tables, error)
	// verifiers answer in place of the verifiers of the policy, which are not asked then; nil for none.
	verifiers gavel.Verifiers

	policy string // of --policy; "" is the shipped default
	// overrides come from flags and variables, and win over the policy.
	overrides bundles.Overrides
	output    string // of --output; "" when it was not given
	// key is that of --verification-key; nil for none.
	key *bundles.Key
	// evaluator comes from --evaluator; "" is the compiled policy.
	evaluator bundles.Evaluator
	code      int // exit code of a command that did not fail
	// self describes where Gavel keeps its files and listens. It is nil until that is known.
	self atomic.Pointer[protected.Self]
}

// terminal says which streams are terminals, and how wide standard output is.
type terminal struct {
	stdin, stdout, stderr bool
	width                 int // in columns; 0 when unknown
}

// newApp returns the app of this process.
func newApp() *app {
	t := terminal{
		stdin:  term.IsTerminal(int(os.Stdin.Fd())),
		stdout: term.IsTerminal(int(os.Stdout.Fd())),
		stderr: term.IsTerminal(int(os.Stderr.Fd())),
	}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		t.width = width
	}
	return &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, terminal: t,
		getenv: os.Getenv, getwd: os.Getwd, now: time.Now, tables: sync.OnceValues(readTables)}
}

// run runs one command line and returns its exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		a.report(err)
		return exitError
	}
	return a.code
}

// root returns the tree of commands. Without a command it prints help.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "gavel",
		Short:         "Decide what AI agents may do: allow, ask or deny, and why",
		Long:          rootLong,
		Example:       rootExample,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return a.checkOutput()
		},
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.Version = thisBuild().String()
	root.PersistentFlags().StringVar(&a.output, "output", "", "text or json (default: text)")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	addGroups(root)
	hosts := hostNames()
	root.AddCommand(in(toStart, a.initCommand(), a.installCommand(hosts), a.uninstallCommand(hosts), a.doctorCommand())...)
	root.AddCommand(in(aboutPolicy, a.checkCommand(), a.testCommand(), a.explainCommand(), a.fixCommand(), a.benchCommand(), a.packsCommand(),
		a.programsCommand(), a.toolsCommand(), a.schemaCommand())...)
	root.AddCommand(in(toDecide, a.decideCommand(), a.serveCommand(), a.hookCommand(), a.verifierCommand(), a.directivesCommand())...)
	root.AddCommand(in(aboutPeople, a.approvalsCommand(), a.tokenCommand(), a.agentsCommand())...)
	root.AddCommand(in(toEnforce, a.runCommand(), a.shellCommand(), a.runnerCommand(), a.credentialsCommand(), a.wrapCommand(), a.verifyCommand())...)
	root.AddCommand(a.versionCommand(), a.manualCommand())
	completion(root)
	return root
}

const rootLong = `Gavel decides what AI agents may do. Before an agent's tool call runs, the program that
would run it asks Gavel. Gavel answers allow, ask or deny, with the reason, the
configuration line that decided, and what would change the answer.`

const rootExample = `  gavel init policy                         write a policy to start from
  gavel check policy                        list its problems, each with its line
  gavel run --policy policy -- git status   run a command if the policy allows it
  gavel explain --policy policy call.json   show how a call is decided, and why
  gavel serve --policy policy               answer over HTTP and a unix socket`

func (a *app) checkOutput() error {
	switch a.output {
	case "", outputText, outputJSON:
		return nil
	default:
		return fix(fmt.Errorf("--output %q is not a format%s", a.output,
			meant(nearest.Name(a.output, []string{outputText, outputJSON}))), "use text or json")
	}
}

// addPolicy gives a command the flag --policy.
func (a *app) addPolicy(cmd *cobra.Command) { a.addPolicyElse(cmd, "the shipped policy") }

// addPolicyElse adds --policy to a command whose default is not the shipped policy; otherwise
// describes that default.
func (a *app) addPolicyElse(cmd *cobra.Command, otherwise string) {
	cmd.Flags().StringVar(&a.policy, "policy", "", "configuration file, policy directory or bundle (default: "+otherwise+")")
	cmd.Flags().Var(keyFlag{&a.key}, "verification-key", "public key, in PEM, that must have signed the policy (default: the policy is not signed)")
}

// addEvaluator adds --evaluator to a command.
func (a *app) addEvaluator(cmd *cobra.Command) {
	cmd.Flags().Var(evaluatorFlag{&a.evaluator}, "evaluator",
		"evaluator of the policy: compiled, topdown (OPA's own), or both, which denies if they disagree")
}

// keyFlag is a flag that names a file with a key.
type keyFlag struct{ set **bundles.Key }

// String implements pflag.Value.
func (keyFlag) String() string { return "" }

// Type implements pflag.Value.
func (keyFlag) Type() string { return "string" }

// Set implements pflag.Value.
func (f keyFlag) Set(file string) (err error) {
	*f.set, err = bundles.ReadKey(file)
	return err
}

// evaluatorFlag is a flag that names an evaluator.
type evaluatorFlag struct{ set *bundles.Evaluator }

// String implements pflag.Value.
func (f evaluatorFlag) String() string { return string(*f.set) }

// Type implements pflag.Value.
func (evaluatorFlag) Type() string { return "string" }

// Set implements pflag.Value.
func (f evaluatorFlag) Set(text string) error {
	if !slices.Contains(bundles.Evaluators(), bundles.Evaluator(text)) {
		return fmt.Errorf("unknown evaluator %q: want compiled, topdown or both", text)
	}
	*f.set = bundles.Evaluator(text)
	return nil
}

// json reports whether a command answers in JSON. Most commands write text
// unless told otherwise.
func (a *app) json() bool { return a.output == outputJSON }

// failed makes the command exit with 1 without another message.
func (a *app) failed() { a.code = exitError }

// fixedError is an error with advice.
type fixedError struct {
	error
	fix string
}

// Unwrap returns the error itself.
func (e fixedError) Unwrap() error { return e.error }

func fix(err error, fix string) error { return fixedError{err, fix} }

// fixOf attaches the right advice to an error about approvals.
func fixOf(err error) error {
	var known *gavel.ApprovalError
	if errors.As(err, &known) {
		return fix(err, known.Fix)
	}
	return err
}

func meant(nearest string) string {
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", nearest)
}

// report writes an error for a person: one problem per line, with advice below it.
func (a *app) report(err error) {
	var invalid *gavel.PolicyError
	if errors.As(err, &invalid) && len(invalid.Problems) > 0 {
		for _, p := range invalid.Problems {
			a.complain(p.String(), p.Fix)
		}
		return
	}
	var fixed fixedError
	if errors.As(err, &fixed) {
		a.complain("gavel: "+err.Error(), fixed.fix)
		return
	}
	a.complain("gavel: "+err.Error(), "")
}

// complain writes a message and its advice to standard error. If that fails, there is nowhere
// left to report it.
func (a *app) complain(message, fix string) {
	_, _ = fmt.Fprintln(a.stderr, clean(message))
	if fix != "" {
		_, _ = fmt.Fprintln(a.stderr, "  "+clean(fix))
	}
}
