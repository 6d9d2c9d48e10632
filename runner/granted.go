package runner

import (
	"slices"
	"strings"

	"gavel"
	"gavel/grant"
	"gavel/runner/proof"
)

// grant compares the grant of an approved call with what is about to run, and uses it up.
func (p *Plan) grant() error {
	cfg := &p.runner.cfg
	approval := p.Decision.Approval
	if approval == nil || approval.Grant == nil || len(cfg.Keys) == 0 {
		return nil
	}
	claims, err := (&grant.Verifier{Keys: cfg.Keys, Now: cfg.Now}).Read(approval.Grant.Token)
	if err != nil {
		return &Refusal{Code: CodeGrant, Message: err.Error()}
	}
	do := p.Decision.Exec
	if claims.Approval != approval.ID || !strings.EqualFold(claims.Agent, p.call.Agent.ID) || claims.Host != do.Host || claims.Node != do.Node {
		return &Refusal{Code: CodeGrant, Message: "the grant is for another approval, agent or host"}
	}
	now := p.bound().Hash().Parts
	var differ []string
	for _, field := range []string{"tool", "agent", "session", "host", "node", "cwd", "shell", "command", "executables", "env"} {
		if field == "executables" && !do.Pins.Parsed {
			continue // the text is bound as a whole
		}
		if now[field] != claims.Parts[field] {
			differ = append(differ, field)
		}
	}
	if len(differ) > 0 {
		return &Refusal{Code: CodeGrant, Message: "what is about to run is not what was approved: " + strings.Join(differ, ", ")}
	}
	if err := cfg.Used.Use(claims, cfg.Now()); err != nil {
		return &Refusal{Code: CodeGrant, Message: err.Error()}
	}
	return nil
}

// bound are the fields of the binding that can be seen here, as they are now.
func (p *Plan) bound() *grant.Bound {
	do := p.Decision.Exec
	b := &grant.Bound{Tool: p.call.Tool.Name, Agent: gavel.Fold(p.call.Agent.ID), Session: gavel.Fold(p.call.Session.Key), Host: do.Host, Node: do.Node, Cwd: p.dir.Path, Shell: do.Pins.Shell, Command: do.Command}
	for _, pin := range do.Pins.Files {
		if pin.Role != gavel.PinProgram && pin.Role != gavel.PinWrapper {
			continue
		}
		pin.Segment = 0
		at := slices.IndexFunc(p.files, func(f *proof.File) bool { return f.Pin == pin }) // its identity was compared
		b.Executables = append(b.Executables, grant.File{Path: pin.Named, Device: p.files[at].Pin.Device, Inode: p.files[at].Pin.Inode})
	}
	env, _ := p.call.Tool.Params["env"].(map[string]any)
	for name, value := range env {
		text, _ := value.(string)
		b.Env = append(b.Env, [2]string{name, text})
	}
	slices.SortFunc(b.Env, func(x, y [2]string) int { return strings.Compare(x[0], y[0]) })
	return b
}
