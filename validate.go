package gavel

import (
	"fmt"
	"strings"
)

// Limits of a call. Real calls stay far below them. The names in a call are cached and
// compared, so callers must not be able to choose their size freely.
const (
	MaxName    = 512  // bytes of an id, a name or a key
	MaxParents = 16   // ancestors of an agent
	MaxPlugins = 256  // loaded plugins
	MaxTools   = 2048 // tools of all plugins together
)

// Validate reports what makes a call undecidable, as an *InputError, or nil.
// A call for Tools has no tool; needTool says whether one is expected.
func (c *Call) Validate(needTool bool) error {
	if strings.TrimSpace(c.Agent.ID) == "" {
		return &InputError{Path: "/agent/id", Message: "the agent's id is missing or blank",
			Fix: "name the agent that makes the call, such as \"main\""}
	}
	if needTool && strings.TrimSpace(c.Tool.Name) == "" {
		return &InputError{Path: "/tool/name", Message: "the tool's name is missing or blank",
			Fix: "name the tool that the agent wants to call, such as \"read\""}
	}
	for i, parent := range c.Agent.Parents {
		if strings.TrimSpace(parent.ID) == "" {
			return &InputError{Path: fmt.Sprintf("/agent/parents/%d/id", i),
				Message: "the parent's id is missing or blank", Fix: "name the agent that spawned this one"}
		}
	}
	if c.Agent.Depth != nil && *c.Agent.Depth < 0 {
		return &InputError{Path: "/agent/depth", Message: "the depth is negative", Fix: "count spawns from 0"}
	}
	if c.Agent.MaxDepth != nil && *c.Agent.MaxDepth < 1 {
		return &InputError{Path: "/agent/maxDepth", Message: "the maximum depth is less than 1",
			Fix: "leave it out, or give the depth at which an agent is a leaf"}
	}
	return c.validateSizes()
}

// validateSizes reports the first name or list that exceeds a limit.
func (c *Call) validateSizes() error {
	for _, name := range [][2]string{
		{"/agent/id", c.Agent.ID}, {"/session/key", c.Session.Key}, {"/model/provider", c.Model.Provider}, {"/model/id", c.Model.ID},
		{"/group/channel", c.Group.Channel}, {"/group/account", c.Group.Account}, {"/group/id", c.Group.ID},
		{"/tool/name", c.Tool.Name}, {"/tool/plugin", c.Tool.Plugin}, {"/tool/unread", c.Tool.Unread},
		{"/host/name", c.Host.Name}, {"/host/event", c.Host.Event}, {"/host/mode", c.Host.Mode},
	} {
		if len(name[1]) > MaxName {
			return tooLarge(name[0], "%d bytes, more than %d", len(name[1]), MaxName)
		}
	}
	if len(c.Agent.Parents) > MaxParents {
		return tooLarge("/agent/parents", "%d agents, more than %d", len(c.Agent.Parents), MaxParents)
	}
	for i, parent := range c.Agent.Parents {
		if len(parent.ID) > MaxName {
			return tooLarge(fmt.Sprintf("/agent/parents/%d/id", i), "%d bytes, more than %d", len(parent.ID), MaxName)
		}
	}
	if s := c.Sender; s != nil && max(len(s.Channel), len(s.ID), len(s.Name), len(s.Username), len(s.Tag), len(s.From), len(s.E164)) > MaxName {
		return tooLarge("/sender", "a member of more than %d bytes", MaxName)
	}
	return c.Environment.validateSizes()
}

func (e *Environment) validateSizes() error {
	if e == nil {
		return nil
	}
	if s := e.Process; s != nil && max(len(s.Session), len(s.Agent), len(s.Host), len(s.Node)) > MaxName {
		return tooLarge("/environment/process", "a member of more than %d bytes", MaxName)
	}
	if len(e.Skills) > MaxTools {
		return tooLarge("/environment/skills", "%d programs, more than %d", len(e.Skills), MaxTools)
	}
	for name, skill := range e.Skills {
		if max(len(name), len(skill.Skill), len(skill.SHA256)) > MaxName {
			return tooLarge("/environment/skills", "a name of more than %d bytes", MaxName)
		}
	}
	if len(e.Plugins) > MaxPlugins {
		return tooLarge("/environment/plugins", "%d plugins, more than %d", len(e.Plugins), MaxPlugins)
	}
	tools := 0
	for id, names := range e.Plugins {
		tools += len(names)
		if tools > MaxTools {
			return tooLarge("/environment/plugins", "more than %d tools", MaxTools)
		}
		for _, name := range append([]string{id}, names...) {
			if len(name) > MaxName {
				return tooLarge("/environment/plugins", "a name of %d bytes, more than %d", len(name), MaxName)
			}
		}
	}
	return nil
}

func tooLarge(path, format string, args ...any) error {
	return &InputError{Path: path, Message: "too large: " + fmt.Sprintf(format, args...), Fix: "send facts that the gateway knows, not text that the agent wrote"}
}
