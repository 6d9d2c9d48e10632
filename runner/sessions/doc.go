// Package sessions keeps the commands that a service runs: each in a process of its own that
// supervises it, with its output, for the agent that began it.
package sessions
