// Package service is gavel runner: it takes calls of the tools exec and process over HTTP and as
// JSON lines, and has sessions carry them out.
package service
