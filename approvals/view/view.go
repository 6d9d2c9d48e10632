// Package view prepares approvals for display. The HTTP API, webhooks, chat and the command
// line all use it, so people see the same everywhere.
package view

import (
	"slices"
	"strings"
	"time"

	"gavel"
	"gavel/approvals"
)

// Approval is an approval for display: every text in it is sanitised (APPROVALS-6), and Notes
// describe the changes.
type Approval struct {
	ID         string     `json:"id"`
	State      string     `json:"state"`
	Decision   string     `json:"decision,omitempty"`
	Decisions  []string   `json:"decisions"` // the possible answers
	Offer      []string   `json:"offer"`     // what allow-always would add to the allowlist
	Request    Request    `json:"request"`
	Notes      []string   `json:"notes,omitempty"`
	CreatedAt  time.Time  `json:"createdAt"`
	ExpiresAt  time.Time  `json:"expiresAt"`
	ResolvedAt *time.Time `json:"resolvedAt,omitempty"`
	ResolvedBy string     `json:"resolvedBy,omitempty"`
	Comment    string     `json:"comment,omitempty"`
	Expired    string     `json:"expired,omitempty"`
	Quorum     int        `json:"quorum"`
	Votes      []Vote     `json:"votes,omitempty"`
	Approvers  []string   `json:"approvers,omitempty"`
	Requesters []string   `json:"requesters"`
	Askers     []string   `json:"askers,omitempty"` // the people among them
	// Once describes the code that cannot be identified. If it is not empty, the answer covers
	// one execution only.
	Once    []string `json:"once,omitempty"`
	Binding string   `json:"binding"`
	// Outcome is the result for the waiting call, once the approval is no longer pending.
	Outcome *gavel.Outcome `json:"outcome,omitempty"`
	Warning string         `json:"warning,omitempty"`
}

// Vote is one person's answer.
type Vote struct {
	By       string    `json:"by"`
	Person   string    `json:"person,omitempty"`
	Decision string    `json:"decision"`
	Comment  string    `json:"comment,omitempty"`
	At       time.Time `json:"at"`
}

// Request is what a person is asked about.
type Request struct {
	Tool     string    `json:"tool"`
	Agent    string    `json:"agent"`
	Session  string    `json:"session,omitempty"`
	Host     string    `json:"host,omitempty"`
	Node     string    `json:"node,omitempty"`
	Cwd      string    `json:"cwd,omitempty"`
	Command  string    `json:"command,omitempty"` // what would run
	Given    string    `json:"given,omitempty"`   // what the agent wrote
	Segments []Segment `json:"segments,omitempty"`
	Env      []string  `json:"env,omitempty"` // the names of the variables that the command would set
	// Variables are the same with their values, NAME=value; values of secrets are masked.
	Variables []string `json:"variables,omitempty"`
	Params    string   `json:"params,omitempty"`
	// Files are the code files that the answer covers. It does not cover what they load in
	// turn.
	Files   []File   `json:"files,omitempty"`
	Reasons []Reason `json:"reasons"`
}

// File is a code file, as it was when the question was opened.
type File struct {
	Role   string `json:"role"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	// Warning says that users other than root can change it.
	Warning string `json:"warning,omitempty"`
}

// Segment is one program that would run.
type Segment struct {
	Program  string   `json:"program"`
	Command  string   `json:"command"`
	Through  []string `json:"through,omitempty"`  // wrappers, outermost first
	Hazards  []string `json:"hazards,omitempty"`  // marked arguments, in words
	Admitted string   `json:"admitted,omitempty"` // the pattern that allow-always would add for it
	// Patterns describe which files its globs match. The answer covers those files.
	Patterns []string `json:"patterns,omitempty"`
}

// Reason is a reason of the decision.
type Reason struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Show creates the view of an approval. Nothing else may show approvals to people.
func Show(a gavel.Approval) Approval {
	r := approvals.Sanitise(a.Request, a.Terms.Offer)
	s := approvals.Sanitiser{Notes: slices.Clone(r.Notes)}
	v := Approval{ID: a.ID, State: string(a.State), Decision: string(a.Answer), Decisions: []string{}, Offer: fields(&s, describeOffer(&a.Terms)),
		CreatedAt: a.CreatedAt, ExpiresAt: a.ExpiresAt, ResolvedBy: s.Field(a.ResolvedBy), Comment: s.Field(a.Comment),
		Expired: s.Field(a.Expired), Quorum: max(a.Terms.Quorum, 1), Approvers: fields(&s, a.Terms.Approvers), Requesters: fields(&s, a.Requesters),
		Askers: fields(&s, a.Askers), Once: onceReasons(&s, &a.Terms), Binding: a.Binding, Outcome: Outcome(&a)}
	for _, answer := range a.Terms.Answers {
		v.Decisions = append(v.Decisions, string(answer))
	}
	for _, vote := range a.Votes {
		v.Votes = append(v.Votes, Vote{s.Field(vote.By), s.Field(vote.Person), string(vote.Answer), s.Field(vote.Comment), vote.At})
	}
	if !a.ResolvedAt.IsZero() {
		v.ResolvedAt = &a.ResolvedAt
	}
	v.Request = Request{Tool: s.Field(r.Tool), Agent: s.Field(r.Agent), Session: s.Field(r.Session), Host: s.Field(r.Host), Node: s.Field(r.Node),
		Cwd: r.Cwd, Command: r.Command, Given: r.Given, Env: r.Env, Variables: r.Variables, Params: r.Params, Reasons: []Reason{}}
	for _, reason := range r.Reasons {
		v.Request.Reasons = append(v.Request.Reasons, Reason{reason.Code, reason.Message})
	}
	for _, file := range a.Request.Files {
		v.Request.Files = append(v.Request.Files, fileView(&s, file))
	}
	for _, segment := range r.Segments {
		v.Request.Segments = append(v.Request.Segments, Segment{segment.Program, segment.Command, segment.Through, segment.Marks, segment.Admitted, segment.Patterns})
	}
	v.Notes = s.Notes
	return v
}

func fields(s *approvals.Sanitiser, list []string) []string {
	shown := make([]string, len(list))
	for i, text := range list {
		shown[i] = s.Field(text)
	}
	return shown
}

// changeable warns about a file that users other than root can change.
const changeable = "users other than root can change it; the answer covers its current contents"

func fileView(s *approvals.Sanitiser, file gavel.ApprovalFile) File {
	shown := File{Role: s.Field(file.Role), Path: s.Field(file.Path), SHA256: s.Field(file.SHA256)}
	if file.Changeable {
		shown.Warning = changeable
	}
	return shown
}

// maxOnce limits how many reasons for a single execution are shown.
const maxOnce = 20

func onceReasons(s *approvals.Sanitiser, t *gavel.Terms) []string {
	shown := fields(s, t.Once[:min(len(t.Once), maxOnce)])
	if len(t.Once) > maxOnce {
		shown = append(shown, "and more")
	}
	return shown
}

// describeOffer describes what allow-always would add, with its limits and accepted hazards.
func describeOffer(t *gavel.Terms) []string {
	if len(t.Entries) > 0 {
		list := make([]string, len(t.Entries))
		for i, entry := range t.Entries {
			list[i] = describeLimits(entry)
		}
		return list
	}
	list := make([]string, len(t.Offer))
	for i, pattern := range t.Offer {
		list[i] = pattern
		if args := t.Args[pattern]; len(args) > 0 {
			list[i] += " (accepting " + strings.Join(args, " ") + ")"
		}
	}
	return list
}

// describeLimits describes an entry's limits in words.
func describeLimits(e gavel.OfferedPattern) string {
	text := e.Pattern
	if o := e.Only; o != nil {
		switch o.Form {
		case gavel.FormCommand:
			return text + " (exactly this command in this directory, with the current contents of its files)"
		case gavel.FormWords:
			text += " (exactly the words of this command, in " + o.Cwd
		case gavel.FormOperands:
			text = strings.Join(slices.Concat([]string{e.Pattern}, nonEmpty(o.SubCommand), o.Options), " ") + " (these options, and any plain operands"
		}
		if o.SHA256 != "" {
			text += ", while its content stays the same"
		}
		text += ")"
	}
	if len(e.Args) > 0 {
		text += " (accepting " + strings.Join(e.Args, " ") + ")"
	}
	return text
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// Outcome returns the verdict that an approval's end means for the waiting call.
func Outcome(a *gavel.Approval) *gavel.Outcome {
	switch {
	case a.State == gavel.ApprovalExpired:
		if a.Fallback.Effect != gavel.Allow {
			return &gavel.Outcome{Effect: gavel.Deny, Reasons: a.Fallback.Reasons}
		}
		return &a.Fallback
	case a.State == gavel.ApprovalResolved && a.Answer == gavel.DenyAnswer:
		return &gavel.Outcome{Effect: gavel.Deny}
	case a.State == gavel.ApprovalResolved:
		return &gavel.Outcome{Effect: gavel.Allow}
	}
	return nil
}
