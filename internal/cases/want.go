package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gavel"
	"gavel/internal/strictjson"
)

// Want is what must be decided. Only the members that are given are compared.
type Want struct {
	Decision *gavel.Effect `json:"decision"`         // required
	Codes    *[]string     `json:"codes,omitempty"`  // of all reasons, as a set
	Source   *string       `json:"source,omitempty"` // configuration path of at least one reason
	Line     *int          `json:"line,omitempty"`   // of that source, in its file
	Command  *string       `json:"command,omitempty"`
	Host     *string       `json:"host,omitempty"`
	By       *[]string     `json:"by,omitempty"` // what permitted each segment, in order
	// Synchronous, Ignored and Sandbox are obligations; an empty Sandbox means that there is none.
	Synchronous *bool          `json:"synchronous,omitempty"`
	Ignored     *[]string      `json:"ignored,omitempty"`
	Sandbox     *gavel.Sandbox `json:"sandbox,omitempty"`
	// Lifecycle is what is configured of how the command runs; an empty one means nothing.
	Lifecycle *gavel.Lifecycle `json:"lifecycle,omitempty"`
	Verify    *[]string        `json:"verify,omitempty"` // verifiers that must agree, as a set
	// Offer are the codes of the reasons why allow-always cannot add entries, as a set.
	Offer *[]string `json:"offer,omitempty"`
}

func parseWant(line []byte) (Want, error) {
	var want Want
	if err := strictjson.Unmarshal(line, &want); err != nil {
		return want, err
	}
	switch {
	case want.Decision == nil:
		return want, errors.New(`the member "decision" is missing: give allow, ask or deny`)
	case want.Line != nil && want.Source == nil:
		return want, errors.New(`"line" needs "source": say which setting is on that line`)
	}
	return want, nil
}

// Compare returns nil when the decision about call i is as it must be, and
// otherwise an error that lists every difference, one a line.
func (c Case) Compare(i int, got gavel.Decision) error {
	want := c.Want[i]
	var d diff
	d.add("decision", want.Decision.String(), got.Effect.String())
	if want.Codes != nil {
		d.add("codes", set(*want.Codes), set(codes(got.Reasons)))
	}
	if want.Source != nil && !want.found(got) {
		d.add("source", want.place(), places(got))
	}
	exec := gavel.Exec{}
	if got.Exec != nil {
		exec = *got.Exec
	}
	if want.Command != nil {
		d.add("command", *want.Command, exec.Command)
	}
	if want.Host != nil {
		d.add("host", *want.Host, exec.Host)
	}
	if want.Verify != nil {
		d.add("verify", set(*want.Verify), set(got.Verify))
	}
	want.obligations(&d, &exec)
	if want.Offer != nil {
		offer := gavel.Offer{}
		if exec.Offer != nil {
			offer = *exec.Offer
		}
		d.add("offer", set(*want.Offer), set(codes(offer.Refused)))
	}
	if want.By != nil {
		by := make([]string, len(exec.Segments))
		for i, segment := range exec.Segments {
			by[i] = segment.By
		}
		d.add("by", strings.Join(*want.By, ", "), strings.Join(by, ", "))
	}
	if len(d) == 0 {
		return nil
	}
	for _, reason := range got.Reasons {
		d = append(d, fmt.Sprintf("reason: %s: %s", reason.Code, reason.Message))
	}
	return fmt.Errorf("call %d (%s, %s) is not decided as it must be:\n  %s",
		i+1, c.Calls[i].Agent.ID, c.Calls[i].Tool.Name, strings.Join(d, "\n  "))
}

// obligations compares what a PEP must do besides running the command.
func (w *Want) obligations(d *diff, exec *gavel.Exec) {
	if w.Synchronous != nil {
		d.add("synchronous", strconv.FormatBool(*w.Synchronous), strconv.FormatBool(exec.Synchronous))
	}
	if w.Ignored != nil {
		d.add("ignored", set(*w.Ignored), set(exec.Ignored))
	}
	if w.Lifecycle != nil {
		d.add("lifecycle", members(w.Lifecycle), members(exec.Lifecycle))
	}
	if w.Sandbox != nil {
		box := gavel.Sandbox{}
		if exec.Sandbox != nil {
			box = *exec.Sandbox
		}
		d.add("sandbox", fmt.Sprintf("%+v", *w.Sandbox), fmt.Sprintf("%+v", box))
	}
}

// members are what a lifecycle says, in JSON.
func members(l *gavel.Lifecycle) string {
	if l == nil {
		l = &gavel.Lifecycle{}
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// diff collects differences in words.
type diff []string

func (d *diff) add(what, want, got string) {
	if want != got {
		*d = append(*d, fmt.Sprintf("%s: want %s, got %s", what, shown(want), shown(got)))
	}
}

func shown(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

func codes(reasons []gavel.Reason) []string {
	var list []string
	for _, reason := range reasons {
		list = append(list, reason.Code)
	}
	return list
}

// set is a list without order or repetition.
func set(list []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(list))), ", ")
}

func (w Want) found(d gavel.Decision) bool {
	return slices.ContainsFunc(d.Reasons, func(r gavel.Reason) bool {
		return r.Source.Path == *w.Source && (w.Line == nil || r.Source.Line == *w.Line)
	})
}

func (w Want) place() string {
	if w.Line == nil {
		return *w.Source
	}
	return fmt.Sprintf("%s in line %d", *w.Source, *w.Line)
}

func places(d gavel.Decision) string {
	var list []string
	for _, reason := range d.Reasons {
		list = append(list, fmt.Sprintf("%s in line %d", reason.Source.Path, reason.Source.Line))
	}
	return strings.Join(list, ", ")
}
