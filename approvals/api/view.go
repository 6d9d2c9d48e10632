package api

import (
	"slices"
	"strings"
	"time"

	"gavel"
	"gavel/internal/display"
)

// How much of a text a person is shown, in characters.
const (
	maxCommand = 4000
	maxField   = 300
)

// View is an approval as it is shown: every text in it is harmless (document 000
// §09, step 3), and Notes say what was done to them.
type View struct {
	ID         string     `json:"id"`
	State      string     `json:"state"`
	Decision   string     `json:"decision,omitempty"`
	Decisions  []string   `json:"decisions"` // what may be answered
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
	Votes      []VoteView `json:"votes,omitempty"`
	Approvers  []string   `json:"approvers,omitempty"`
	Requesters []string   `json:"requesters"`
	Binding    string     `json:"binding"`
	// Outcome is what holds for whoever waited, once it is no longer pending.
	Outcome *gavel.Outcome `json:"outcome,omitempty"`
	Warning string         `json:"warning,omitempty"`
}

// VoteView is one person's answer.
type VoteView struct {
	By       string    `json:"by"`
	Decision string    `json:"decision"`
	Comment  string    `json:"comment,omitempty"`
	At       time.Time `json:"at"`
}

// Request is what a person is asked about.
type Request struct {
	Tool     string        `json:"tool"`
	Agent    string        `json:"agent"`
	Session  string        `json:"session,omitempty"`
	Host     string        `json:"host,omitempty"`
	Node     string        `json:"node,omitempty"`
	Cwd      string        `json:"cwd,omitempty"`
	Command  string        `json:"command,omitempty"` // what would run
	Given    string        `json:"given,omitempty"`   // what the agent wrote
	Segments []SegmentView `json:"segments,omitempty"`
	Env      []string      `json:"env,omitempty"` // names
	Params   string        `json:"params,omitempty"`
	Reasons  []ReasonView  `json:"reasons"`
}

// SegmentView is one program that would run.
type SegmentView struct {
	Program  string   `json:"program"`
	Command  string   `json:"command"`
	Through  []string `json:"through,omitempty"`  // wrappers, outermost first
	Hazards  []string `json:"hazards,omitempty"`  // marked arguments, in words
	Admitted string   `json:"admitted,omitempty"` // the pattern that allow-always would add for it
}

// ReasonView is why somebody is asked.
type ReasonView struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// shower collects notes while it makes texts harmless.
type shower struct{ notes []string }

func (s *shower) show(text string, limit int) string {
	shown := display.Clean(text, limit)
	for _, note := range shown.Notes {
		if !slices.Contains(s.notes, note) {
			s.notes = append(s.notes, note)
		}
	}
	return shown.Text
}

func (s *shower) field(text string) string { return s.show(text, maxField) }

func (s *shower) fields(list []string) []string {
	shown := make([]string, len(list))
	for i, text := range list {
		shown[i] = s.field(text)
	}
	return shown
}

// Show makes a view of an approval.
func Show(a gavel.Approval) View {
	var s shower
	v := View{ID: a.ID, State: string(a.State), Decision: string(a.Answer), Decisions: []string{}, Offer: s.fields(offered(&a.Terms)),
		CreatedAt: a.CreatedAt, ExpiresAt: a.ExpiresAt, ResolvedBy: s.field(a.ResolvedBy), Comment: s.field(a.Comment),
		Expired: s.field(a.Expired), Quorum: max(a.Terms.Quorum, 1), Approvers: s.fields(a.Terms.Approvers), Requesters: s.fields(a.Requesters),
		Binding: a.Binding, Outcome: outcome(&a)}
	for _, answer := range a.Terms.Answers {
		v.Decisions = append(v.Decisions, string(answer))
	}
	for _, vote := range a.Votes {
		v.Votes = append(v.Votes, VoteView{s.field(vote.By), string(vote.Answer), s.field(vote.Comment), vote.At})
	}
	if !a.ResolvedAt.IsZero() {
		v.ResolvedAt = &a.ResolvedAt
	}
	v.Request = s.request(&a)
	v.Notes = s.notes
	return v
}

func (s *shower) request(a *gavel.Approval) Request {
	r := &a.Request
	shown := Request{Tool: s.field(r.Tool), Agent: s.field(r.Agent), Session: s.field(r.Session), Host: s.field(r.Host), Node: s.field(r.Node),
		Cwd: s.field(r.Cwd), Command: s.show(r.Command, maxCommand), Env: s.fields(r.Env), Params: s.show(r.Params, maxCommand), Reasons: []ReasonView{}}
	if r.Given != r.Command {
		shown.Given = s.show(r.Given, maxCommand)
	}
	for _, reason := range r.Reasons {
		shown.Reasons = append(shown.Reasons, ReasonView{s.field(reason.Code), s.field(reason.Message)})
	}
	for _, segment := range r.Segments {
		shown.Segments = append(shown.Segments, s.segment(segment, a.Terms.Offer))
	}
	return shown
}

func (s *shower) segment(segment gavel.ApprovalSegment, offer []string) SegmentView {
	v := SegmentView{Command: s.show(words(segment.Argv), maxCommand)}
	if len(segment.Argv) > 0 {
		v.Program = s.field(segment.Argv[0])
		if slices.Contains(offer, segment.Argv[0]) {
			v.Admitted = v.Program
		}
	}
	for _, wrapper := range segment.Wrappers {
		v.Through = append(v.Through, s.field(words(wrapper)))
	}
	for _, at := range segment.Dynamic {
		if at < len(segment.Argv) {
			v.Hazards = append(v.Hazards, s.field("made when it runs: "+segment.Argv[at]))
		} else {
			v.Hazards = append(v.Hazards, "further words are made when it runs")
		}
	}
	for _, hazard := range segment.Hazards {
		v.Hazards = append(v.Hazards, s.field(strings.TrimSpace(hazard.Kind+": "+hazard.Option+" "+hazard.Argument)))
	}
	return v
}

// offered is what allow-always would add, with the hazards that it would accept.
func offered(t *gavel.Terms) []string {
	list := make([]string, len(t.Offer))
	for i, pattern := range t.Offer {
		list[i] = pattern
		if args := t.Args[pattern]; len(args) > 0 {
			list[i] += " (accepting " + strings.Join(args, " ") + ")"
		}
	}
	return list
}

// outcome is the verdict that an approval's end means for whoever waited.
func outcome(a *gavel.Approval) *gavel.Outcome {
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

// words writes an argv as one line, each word quoted where a shell would need it.
func words(argv []string) string {
	quoted := make([]string, len(argv))
	for i, word := range argv {
		quoted[i] = quote(word)
	}
	return strings.Join(quoted, " ")
}

func quote(word string) string {
	plain := func(r rune) bool {
		return r > 0x7f || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./-_", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
