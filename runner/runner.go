// Package runner runs commands that Gavel has judged, and nothing else.
//
// A call goes to the decision point first. If it is allowed, exec.command of the decision runs,
// never the text of the call, and only if everything is still what was judged: the program, by
// device and inode through a descriptor that is then executed; scripts, from a sealed copy of the
// content that was judged; the directory, which is held open since before the call was judged.
//
//	call → Authority (decides, asks people) → Plan (compares, holds) → spawn.Start
//
// The package fails closed: an error before the start means that nothing ran. It is for one
// command; gavel/runner/sessions keeps many.
package runner

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"gavel"
	"gavel/client"
	"gavel/grant"
	"gavel/runner/proof"
	"gavel/runner/spawn"
)

// Codes of refusals that are not Gavel's decisions. Those about files are in gavel/runner/proof.
const (
	CodeUndecided   = "runner.undecided"   // there is no decision
	CodeHost        = "runner.host"        // the decision is for another host
	CodeUnproved    = "runner.unproved"    // the decision has no pins
	CodeUnheld      = "runner.unheld"      // a file could be replaced after it was compared
	CodeShell       = "runner.shell"       // the shell cannot be used
	CodeGrant       = "runner.grant"       // the grant does not cover what is about to run
	CodeEnvironment = "runner.environment" // the environment cannot be built
	CodeStart       = "runner.start"       // the system did not start it
	CodeUnrecorded  = "runner.unrecorded"  // the refusal or the start could not be recorded
)

// Refusal says why a command did not run.
type Refusal struct {
	Code    string
	Message string
	Fix     string
	// Decision is Gavel's, if there was one. Its reasons are in Message if it refused.
	Decision *gavel.Decision
	// Comment is what the person who answered wrote, if anything. It is in Message, too.
	Comment string
}

// Error returns the message, the code and what to do.
func (r *Refusal) Error() string {
	text := r.Message
	if r.Code != "" {
		text += " (" + r.Code + ")"
	}
	if r.Fix != "" {
		text += "; " + r.Fix
	}
	return text
}

// Config says how commands are run. Authority is required.
type Config struct {
	Authority Authority
	// Host and Node are the names of this machine in decisions; the default host is gateway.
	Host, Node string
	// CheckOnly runs commands whose files cannot be held; they are compared right before the
	// start, and could be replaced in between.
	CheckOnly bool
	// Keys verify grants. With a key, what a person agreed to runs only with a valid grant;
	// without one, grants are not verified.
	Keys []ed25519.PublicKey
	// Used remembers grants that were used; nil remembers those of this runner.
	Used Ledger
	// Self opens this program, which must call [RunScript] when its first word is [ScriptWord]. Nil
	// leaves scripts of shells without their names where others run beside them.
	Self func() (*os.File, error)
	// Base is the environment that commands start from.
	Base Base
	// Blocked knows the variables that no call may set.
	Blocked func() (*Blocked, error)
	Limits  spawn.Limits
	// LimitWrites limits where commands write to what the decision says, beside Limits.Write.
	LimitWrites bool
	// Record records what becomes of commands; nil records nothing. A command whose start cannot
	// be recorded does not run.
	Record func(ctx context.Context, event gavel.RunEvent) error
	Now    func() time.Time
	// Notice is called with a question that people were asked; may be nil.
	Notice func(gavel.Pending)
}

// Runner prepares commands. It is safe for concurrent use.
type Runner struct{ cfg Config }

// New returns a runner.
func New(cfg Config) (*Runner, error) {
	if cfg.Authority == nil || cfg.Blocked == nil {
		return nil, errors.New("a runner needs an authority that decides, and the list of blocked variables")
	}
	if cfg.Host == "" {
		cfg.Host = "gateway"
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Used == nil {
		cfg.Used = &grant.Ledger{}
	}
	return &Runner{cfg}, nil
}

// Prepare has a call decided, and holds what it is about. cwd is the directory that the call's own
// workdir is relative to. Nothing has run when it returns; an error is a *Refusal. Close the plan.
func (r *Runner) Prepare(ctx context.Context, call gavel.Call, cwd string) (*Plan, error) {
	dir, err := r.directory(&call, cwd)
	if err != nil {
		return nil, r.refuse(ctx, &call, &Refusal{Code: proof.CodeDirectoryChanged, Message: err.Error(), Fix: "name a directory that exists"})
	}
	decision, once, err := r.authorize(ctx, call)
	if err != nil {
		_ = dir.File.Close()
		return nil, r.refuse(ctx, &call, err)
	}
	plan := &Plan{Decision: decision, dir: dir, call: &call, runner: r, onceOnly: once}
	if dir.Note != "" {
		plan.Notes = append(plan.Notes, dir.Note)
	}
	if err := plan.hold(); err != nil {
		plan.Close()
		return nil, r.refuse(ctx, &call, asRefusal(err, &decision))
	}
	return plan, nil
}

// directory opens where the call runs, and states it in the call by its real path.
func (r *Runner) directory(call *gavel.Call, cwd string) (*proof.Directory, error) {
	at, err := workdir(call, cwd)
	if err != nil {
		return nil, err
	}
	dir, err := proof.OpenDirectory(at)
	if err != nil {
		return nil, err
	}
	environment := gavel.Environment{}
	if call.Environment != nil {
		environment = *call.Environment
	}
	params := make(map[string]any, len(call.Tool.Params))
	for name, value := range call.Tool.Params {
		params[name] = value
	}
	if _, given := params["workdir"]; given {
		params["workdir"] = dir.Path
	}
	if environment.Cwd == "" || !isGiven(params["workdir"]) {
		environment.Cwd = dir.Path
	}
	call.Environment, call.Tool.Params = &environment, params
	return dir, nil
}

func isGiven(value any) bool { text, ok := value.(string); return ok && text != "" }

// authorize has a call decided, and waits for people who must agree. once is true if they agreed to
// one execution.
func (r *Runner) authorize(ctx context.Context, call gavel.Call) (decision gavel.Decision, once bool, err error) {
	if decision, err = r.cfg.Authority.Decide(ctx, call); err != nil {
		return gavel.Decision{}, false, undecided(err)
	}
	if decision.Effect == gavel.Ask && decision.Approval != nil {
		answer, err := r.ask(ctx, decision)
		if err != nil {
			return gavel.Decision{}, false, err
		}
		once = answer == gavel.AllowOnce
		if decision, err = r.cfg.Authority.Decide(ctx, call); err != nil {
			return gavel.Decision{}, false, undecided(err)
		}
	}
	if decision.Effect != gavel.Allow {
		return gavel.Decision{}, false, denied(&client.Refused{Decision: decision})
	}
	return decision, once, nil
}

// ask waits for the answer to the question of a decision. An error says that it does not permit the
// call.
func (r *Runner) ask(ctx context.Context, decision gavel.Decision) (gavel.Answer, error) {
	if r.cfg.Notice != nil {
		r.cfg.Notice(*decision.Approval)
	}
	answer, err := r.cfg.Authority.Wait(ctx, decision)
	if err != nil {
		return "", undecided(err)
	}
	if answer.Outcome == nil || answer.Outcome.Effect != gavel.Allow {
		refused := &client.Refused{Decision: decision, Comment: answer.Comment}
		if answer.Outcome != nil {
			refused.Decision.Effect, refused.Decision.Reasons = gavel.Deny, answer.Outcome.Reasons
		}
		return "", denied(refused)
	}
	return answer.Decision, nil
}

func undecided(err error) *Refusal {
	return &Refusal{Code: CodeUndecided, Message: "there is no decision, so nothing runs: " + err.Error()}
}

func denied(refused *client.Refused) *Refusal {
	return &Refusal{Message: refused.Error(), Decision: &refused.Decision, Comment: refused.Comment}
}

// asRefusal adds to an error what a refusal has.
func asRefusal(err error, decision *gavel.Decision) *Refusal {
	var refusal *Refusal
	var changed *proof.Changed
	switch {
	case errors.As(err, &refusal):
	case errors.As(err, &changed):
		refusal = &Refusal{Code: changed.Code, Message: changed.Error(), Fix: "run it again, and it is judged as it is now"}
	default:
		refusal = &Refusal{Code: CodeStart, Message: err.Error()}
		switch {
		case errors.Is(err, syscall.E2BIG):
			refusal.Fix = "use shorter arguments and variables; pass long texts on standard input or in a file"
		case errors.Is(err, syscall.ETXTBSY):
			refusal.Fix = "run it again when nobody writes to the program any more"
		}
	}
	refusal.Decision = decision
	return refusal
}

// refuse records a refusal. What Gavel itself refused is in the decision log already.
func (r *Runner) refuse(ctx context.Context, call *gavel.Call, err error) error {
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Code == "" {
		return err
	}
	event := gavel.RunEvent{Kind: gavel.AuditRunRefused, Agent: call.Agent.ID, Session: call.Session.Key, Code: refusal.Code, Message: refusal.Message}
	if refusal.Decision != nil {
		event.Decision = refusal.Decision.ID
	}
	if recorded := r.record(ctx, event); recorded != nil {
		refusal.Message += fmt.Sprintf("; this could not be recorded: %v", recorded)
	}
	return refusal
}

func (r *Runner) record(ctx context.Context, event gavel.RunEvent) error {
	if r.cfg.Record == nil {
		return nil
	}
	return r.cfg.Record(context.WithoutCancel(ctx), event)
}
