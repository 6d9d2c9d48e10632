// Package config reads Gavel's configuration: YAML, JSON or JSON5, in the shape
// of the documents or as an openclaw.json. It parses or refuses, and never
// guesses (R3): an unknown key, a wrong type, a value that does not exist and a
// blank entry are problems, each with its place and the nearest valid name.
//
// A text goes through four steps, each in files of its own:
//
//	text ─ yaml.go, json5.go ─▶ node tree with places
//	     ─ canonical.go ──────▶ one shape for every way to write the same thing
//	     ─ prune.go ──────────▶ only what bears on permissions
//	     ─ explain.go ────────▶ the JSON Schema's objections, in plain words
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

// Limits of one configuration. A configuration beyond a limit is refused, with the location.
const (
	MaxBytes  = 8 << 20 // of the text
	MaxDepth  = 64      // of nested lists and maps
	MaxValues = 1 << 18 // keys and list items of a document
	MaxName   = 256     // bytes of a key
)

// Document is a configuration in canonical form. It is
// immutable and safe for concurrent use.
type Document struct {
	// File is the name that Read was given.
	File string
	// Data is data.config of the policy: map[string]any, []any, string, bool,
	// json.Number, and nil in open maps only. It must not be changed.
	//
	// Its keys are the documents', and every way to write the same thing reads
	// the same: agents.list[] is under agents.<id>, an agent's profile under
	// agents.<id>.tools.profile, its exec settings under agents.<id>.exec; ids of
	// agents, channels, accounts, groups, senders and providers are trimmed and
	// lower case.
	Data map[string]any
	// PassedOver lists the canonical paths of keys that do not affect permissions and are not
	// in Data, sorted.
	PassedOver []string
	// Newer lists the canonical paths of keys that only newer editions of OpenClaw have.
	Newer []string

	root *node
}

// Reader reads configurations with one schema. It is safe for concurrent use.
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

// Read reads the text of a file. The name's extension says the format: .yaml,
// .yml, .json or .json5; JSON is read as JSON5, because an openclaw.json has
// comments. The file itself is not opened.
//
// All problems are returned, in the order of the text, a thousand at most. If there is
// one, the document must not be used for decisions, only to look for more problems; it is
// nil if the text is not a map.
func (r *Reader) Read(file string, text []byte) (*Document, []gavel.Problem) {
	if r == nil || r.schema == nil {
		found := &problems{file: file}
		found.add(place{}, "", "the configuration cannot be checked without a schema", "", "create the reader with NewReader")
		return nil, found.sorted()
	}
	return r.read(file, text)
}

// Reread is Read for a text in which a Reader of the same schema found no problem before. It
// does not compare the values with the schema, because compiling the schema takes longer than
// everything else.
func Reread(schema []byte, file string, text []byte) (*Document, []gavel.Problem) {
	var raw rawSchema
	if err := json.Unmarshal(schema, &raw); err != nil {
		return nil, []gavel.Problem{{File: file, Message: "the schema of the configuration cannot be read: " + err.Error()}}
	}
	return (&Reader{raw: raw}).read(file, text)
}

func (r *Reader) read(file string, text []byte) (*Document, []gavel.Problem) {
	found := &problems{file: file}
	root := parse(file, text, found)
	if root == nil {
		return nil, found.sorted()
	}
	if root.kind != mapping {
		found.add(root.place, "", fmt.Sprintf("the configuration is %s, not a map of sections", root.describe()),
			"", "start with a section such as tools")
		return nil, found.sorted()
	}
	entries := root.child("agents").get(agentEntries) != nil
	canonicalize(root, found)
	pruned := r.prune(root, found)
	if entries {
		pruned.newer = append([]string{"agents." + agentEntries}, pruned.newer...)
	}
	data := root.data().(map[string]any)
	if r.schema != nil {
		r.validate(root, data, found)
	}
	return &Document{File: file, Data: data, PassedOver: pruned.passedOver, Newer: pruned.newer, root: root}, found.sorted()
}

// Locate returns the place of the key at a canonical path, both numbers from 1.
// A path is keys joined by "." as they are, with list indexes as [n]:
// tools.byProvider.openai/gpt-5.2.allow[0]. Of a list item it is the item's
// place. A setting that was moved, such as one from agents.list[], has the place
// where it was written. It is false for a path that the document does not have.
func (d *Document) Locate(path string) (line, column int, ok bool) {
	if d == nil || d.root == nil || path == "" {
		return 0, 0, false
	}
	found, ok := d.root.find(path)
	return found.line, found.column, ok
}

// parse reads the text into a tree. If the text is unusable, it adds a problem and returns
// nil.
func parse(file string, text []byte, found *problems) *node {
	start := place{1, 1}
	if len(text) > MaxBytes {
		found.add(start, "", fmt.Sprintf("the file has %d bytes; the limit is %d", len(text), MaxBytes),
			"", "make it smaller, or move data into other files")
		return nil
	}
	if at := invalidUTF8(text); at >= 0 {
		found.add(newCursor(string(text[:at])).place(at), "", "the text is not UTF-8", "", "save the file as UTF-8")
		return nil
	}
	source := strings.TrimPrefix(string(text), "\ufeff")
	b := newBuilder(found)
	switch extension := strings.ToLower(filepath.Ext(file)); extension {
	case ".yaml", ".yml":
		return b.readYAML(source)
	case ".json", ".json5":
		return b.readJSON5(source)
	default:
		found.add(place{}, "", fmt.Sprintf("the extension %q is not a known format", extension),
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
