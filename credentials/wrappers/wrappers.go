// Package wrappers reads wrappers.yaml: which tools are run with which credentials, and what of
// them may be asked for. The file has the keys of claw-wrap. It is closed: an unknown key, a
// duration that cannot be read, a credential that does not exist and a pattern that does not
// compile are errors, each with its line. Nothing that was meant to restrict is silently ignored.
package wrappers

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"time"

	"gavel"
	"gavel/credentials/source"
	"gavel/internal/private"
)

// Config is a configuration without mistakes.
type Config struct {
	Proxy       Proxy
	Security    Security
	Audit       Audit
	Credentials map[string]source.Source
	Tools       map[string]*Tool
	// Warnings are what is suspicious and permitted.
	Warnings []gavel.Problem
}

// Proxy are the settings of the daemon.
type Proxy struct {
	Timeout         time.Duration // of a tool
	InlineThreshold int64         // bytes of a stream before it is kept in a file
	SecretFile      string        // "" is what the command line says
	MaxConnections  int
	HeaderTimeout   time.Duration // for the request
	MessageTimeout  time.Duration // for the rest of a control line that has begun
	MaxControl      int64         // bytes
	WriteTimeout    time.Duration
	MaxOutput       int64 // bytes of all output; 0 is not a limit
	MaxLifetime     time.Duration
	ReplayTTL       time.Duration
	ReplayEntries   int
	CredentialTTL   time.Duration // how long a credential is kept; 0 reads it each time
	Sources         source.Settings
}

// Security are the settings about callers.
type Security struct {
	// AllowUnverified serves callers whose executable cannot be read. Only
	// deny_unverified_caller_exe: false sets it.
	AllowUnverified bool
}

// Audit is the record of uses beside the decision log.
type Audit struct {
	Enabled         bool
	File            string
	Stdout          bool
	IncludeArgs     bool
	IncludeHash     bool
	IncludeDuration bool
}

// Tool is a program that is run with credentials.
type Tool struct {
	Name       string
	Binary     string
	Timeout    time.Duration
	Env        []Variable // sorted
	ForcedEnv  []Variable // sorted, literal
	Allowlist  bool
	Blocked    []Rule
	Allowed    []Rule
	Redact     []Redaction
	ConfigFile *ConfigFile // nil for none
	PTY        bool        // a terminal may be used
	Stdin      bool
	WorkingDir string // "" is the client's
	// RequestEnv are the variables that a request may set. Nil: those that redirect nothing.
	RequestEnv *[]string
}

// Variable is one variable for a tool.
type Variable struct {
	Name  string
	Parts []Part
}

// Part is a piece of a value: a text, or a credential by its name.
type Part struct{ Text, Credential string }

// Rule is one entry of blocked_args or allowed_args.
type Rule struct {
	Pattern string
	Argv    []string
	Match   string // arg, command or argv
	Message string
}

// Redaction replaces what a pattern matches in output.
type Redaction struct {
	Pattern *regexp.Regexp
	Replace string
}

// ConfigFile is a file that is made for one run of a tool.
type ConfigFile struct {
	Subdir      string // below the directory of configurations
	Filename    string
	Template    string
	Credentials []string
}

// Uses are the credentials that a tool is given, sorted.
func (t *Tool) Uses() []string {
	seen := map[string]bool{}
	for _, variable := range t.Env {
		for _, part := range variable.Parts {
			if part.Credential != "" {
				seen[part.Credential] = true
			}
		}
	}
	if t.ConfigFile != nil {
		for _, name := range t.ConfigFile.Credentials {
			seen[name] = true
		}
	}
	return sorted(seen)
}

// Catalog is what warnings need to know of programs and variables.
type Catalog struct {
	// Known reports whether the options of a program are known, by its path.
	Known func(program string) bool
	// Denied reports whether a variable is dropped from every request.
	Denied func(variable string) bool
}

// maxSize is the largest configuration, in bytes.
const maxSize = 1 << 20

// Load reads a file. It must belong to root or to this user, and nobody else may change it: it
// says which programs run with credentials. The error is a *gavel.PolicyError with every mistake.
func Load(path string, catalog Catalog) (*Config, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the wrappers: %w", err)
	}
	return parse(path, text, catalog)
}

func readFile(path string) ([]byte, error) {
	file, err := os.Open(path) // links are followed: Kubernetes mounts files behind them
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := changeable(path, info); err != nil {
		return nil, err
	}
	if err := private.CheckPath(path); err != nil {
		return nil, fmt.Errorf("others can put another file in the place of %s: %w", path, err)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err == nil && len(text) > maxSize {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxSize)
	}
	return text, err
}

// changeable refuses what users other than root and this one can change.
func changeable(path string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	case !trusted(info):
		return fmt.Errorf("%s belongs to another user, who can change it: make it one of this user or of root", path)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s can be changed by others (%s): run chmod go-w %s", path, info.Mode(), path)
	}
	return nil
}
