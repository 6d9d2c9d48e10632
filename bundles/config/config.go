// Package config reads and edits Gavel's configuration: YAML, JSON or JSON5, in Gavel's shape or as
// an openclaw.json. It parses or refuses, and never guesses (R3): an unknown key, a wrong type, an
// unknown value and a blank entry are problems, each with its location and the nearest valid name.
//
// A text goes through four steps. The names are prefixes of file names:
//
//	text ─ read_* ──────▶ a tree of nodes with locations
//	     ─ canonical* ──▶ one shape for every way to write the same thing
//	     ─ prune ───────▶ without keys that do not affect permissions
//	     ─ validate* ───▶ checked against the JSON Schema, with problems in plain words
//
// edit* changes the text of a configuration, and keeps its comments and formatting.
//
// The schema (rego/schema/config.json) is the one source for what is valid:
//
//	tools.profile, profiles          TOOLS-2
//	tools.allow, alsoAllow, deny     TOOLS-3; pluginOnlyAllowlist is R6
//	tools.byProvider, sandbox,
//	  subagents, fs                  TOOLS-4, TOOLS-8
//	tools.exec                       EXEC-1, EXEC-3, APPROVALS-1, CONFIG-1, EXEC-9
//	agents.<id>, agents.list[]       TOOLS-4, TOOLS-8, ELEVATED-1, CONFIG-1
//	channels.…groups                 TOOLS-7
//	sandboxing, approvals            CONFIG-1
package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gavel"
	"gavel/internal/nearest"
)

// The limits of a configuration. One that exceeds a limit is refused, with the location.
const (
	MaxBytes  = 8 << 20 // of the text
	MaxDepth  = 64      // of nested lists and maps
	MaxValues = 1 << 18 // keys and list items of a document
	MaxName   = 256     // bytes of a key
)

// Document is a configuration in canonical form. It is immutable and safe for concurrent use.
type Document struct {
	// File is the name that Read was given.
	File string
	// Data is data.config of the policy. It consists of map[string]any, []any, string, bool,
	// json.Number and, in open maps only, nil. It must not be changed.
	//
	// Every way to write the same thing has the same data. agents.list[] is under agents.<id>,
	// an agent's profile is at agents.<id>.tools.profile, and its exec settings are under
	// agents.<id>.exec. Ids of agents, channels, accounts, senders and providers are trimmed and
	// in lower case; those of groups are trimmed.
	Data map[string]any
	// Ignored lists the canonical paths of keys that do not affect permissions, sorted. They are
	// not in Data.
	Ignored []string
	// Newer lists the canonical paths of keys that only newer editions of OpenClaw have.
	Newer []string

	root *node
}

// Reader reads configurations. It is safe for concurrent use.
type Reader struct {
	schema *jsonschema.Schema
	raw    rawSchema
}

// NewReader creates a reader from the text of the JSON Schema (draft-07),
// rego/schema/config.json. It fails if the schema is invalid.
func NewReader(schema []byte) (*Reader, error) {
	raw, compiled, err := compileSchema(schema)
	if err != nil {
		return nil, fmt.Errorf("compile the schema of the configuration: %w", err)
	}
	return &Reader{schema: compiled, raw: raw}, nil
}

// Read reads the text of a file. The extension of the name says the format: .yaml, .yml, .json or
// .json5. JSON is read as JSON5, because an openclaw.json may have comments. Read does not open the
// file.
//
// It returns all problems in the order of the text, up to a thousand. If there are any, the
// document may only be used to look for more problems. It is nil if the text is not a map.
func (r *Reader) Read(file string, text []byte) (*Document, []gavel.Problem) {
	if r == nil || r.schema == nil {
		problems := &problemList{file: file}
		problems.add(location{}, "", "the configuration cannot be checked without a schema", "", "create the reader with NewReader")
		return nil, problems.sorted()
	}
	return r.read(file, text)
}

// ReadValid is Read for a text in which a Reader of the same schema found no problems before. It
// does not validate the values, because compiling the schema takes longer than everything else.
func ReadValid(schema []byte, file string, text []byte) (*Document, []gavel.Problem) {
	var raw rawSchema
	if err := json.Unmarshal(schema, &raw); err != nil {
		return nil, []gavel.Problem{{File: file, Message: "the schema of the configuration cannot be read: " + err.Error()}}
	}
	return (&Reader{raw: raw}).read(file, text)
}

func (r *Reader) read(file string, text []byte) (*Document, []gavel.Problem) {
	problems := &problemList{file: file}
	root := parse(file, text, problems)
	if root == nil {
		return nil, problems.sorted()
	}
	if root.kind != mapping {
		problems.add(root.location, "", fmt.Sprintf("the configuration is %s, not a map of sections", root.describe()),
			"", "start with a section such as tools")
		return nil, problems.sorted()
	}
	entries := root.child("agents").get(agentEntries) != nil
	canonicalize(root, problems)
	pruned := r.prune(root, problems)
	if entries {
		pruned.newer = append([]string{"agents." + agentEntries}, pruned.newer...)
	}
	data := root.data().(map[string]any)
	if r.schema != nil {
		r.validate(root, data, problems)
	}
	return &Document{File: file, Data: data, Ignored: pruned.ignored, Newer: pruned.newer, root: root}, problems.sorted()
}

// Locate returns the location of a key or list item by its canonical path. Lines and columns begin
// at 1. A path consists of keys joined by "." and indexes in brackets, such as
// tools.byProvider.openai/gpt-5.2.allow[0]. A setting that was moved, for example from
// agents.list[], has its location in the text. Locate returns false if there is no such path.
func (d *Document) Locate(path string) (line, column int, ok bool) {
	if d == nil || d.root == nil || path == "" {
		return 0, 0, false
	}
	problems, ok := d.root.find(path)
	return problems.line, problems.column, ok
}

// parse reads a text into a tree. It returns nil after adding a problem if the text cannot be read.
func parse(file string, text []byte, problems *problemList) *node {
	start := location{1, 1}
	if len(text) > MaxBytes {
		problems.add(start, "", fmt.Sprintf("the file has %d bytes; the limit is %d", len(text), MaxBytes),
			"", "make it smaller, or move data into other files")
		return nil
	}
	if at := invalidUTF8(text); at >= 0 {
		problems.add(newCursor(string(text[:at])).locate(at), "", "the text is not UTF-8", "", "save the file as UTF-8")
		return nil
	}
	source := strings.TrimPrefix(string(text), "\ufeff")
	b := newBuilder(problems)
	switch extension := strings.ToLower(filepath.Ext(file)); extension {
	case ".yaml", ".yml":
		return b.readYAML(source)
	case ".json", ".json5":
		return b.readJSON5(source)
	default:
		problems.add(location{}, "", fmt.Sprintf("the extension %q is not a known format", extension),
			nearest.Name(extension, []string{".yaml", ".yml", ".json", ".json5"}), "name the file .yaml, .yml, .json or .json5")
		return nil
	}
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for at := 0; ; {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
}
