package grant

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// The binding (R29) is one SHA-256 over everything that an answer covers. Its
// encoding is the same to the byte for everybody who computes it; docs/binding.md
// describes it with examples, which [Vectors] are.
//
//	string  = 8 bytes of length, big-endian, then its bytes
//	list    = 8 bytes of count, big-endian, then its elements
//	part    = SHA-256 of a field's encoding
//	binding = SHA-256 of "gavel-binding-2\n", then for each field in order its name,
//	          as a string, and its part, 32 bytes
const bindingPrefix = Format + "\n"

// Format names the encoding of bindings. gavel-binding-1 had no field pathPrepend.
const Format = "gavel-binding-2"

// Fields are the names of the fields, in hash order.
func Fields() []string {
	var names []string
	for _, field := range new(Bound).fields() {
		names = append(names, field.name)
	}
	return names
}

// Binding is a computed binding.
type Binding struct {
	Hash    string            // hex
	Command string            // the same without the session: what history knows a command by
	Parts   map[string]string // field → hex
}

// Bound is everything that an answer covers. Two calls are the same exactly if their hashes
// are equal.
type Bound struct {
	Tool    string `json:"tool"`
	Agent   string `json:"agent"`
	Session string `json:"session"`
	Host    string `json:"host"`  // sandbox, gateway or node; "" for another tool than exec
	Node    string `json:"node"`  // when the host is a node
	Cwd     string `json:"cwd"`   // absolute
	Shell   string `json:"shell"` // what runs the text
	Command string `json:"command"`
	// Argv are the words of each segment, the program by its real path.
	Argv [][]string `json:"argv"`
	// Wrappers are, for each segment, kind and words of each wrapper.
	Wrappers    [][][]string `json:"wrappers"`
	Executables []File       `json:"executables"` // in order of argv, wrappers first
	Scripts     []Script     `json:"scripts"`
	Env         [][2]string  `json:"env"` // names and values, sorted by name
	// PathPrepend are the directories that come before PATH, where the command and what it
	// starts look for programs first.
	PathPrepend []string `json:"pathPrepend"`
	Params      string   `json:"params"` // canonical JSON of the other parameters
}

// File is an executable, as the one that it was.
type File struct {
	Path   string `json:"path"`
	Device string `json:"device"` // decimal; "" where a gateway speaks of another machine
	Inode  string `json:"inode"`
}

// Script is a file that a program would run, and its content.
type Script struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // hex
}

// Hash computes the binding.
func (b *Bound) Hash() Binding {
	parts := map[string]string{}
	whole, command := sha256.New(), sha256.New()
	whole.Write([]byte(bindingPrefix))
	command.Write([]byte(bindingPrefix))
	for _, field := range b.fields() {
		part := sha256.New()
		field.encode(encoder{part})
		sum := part.Sum(nil)
		parts[field.name] = hex.EncodeToString(sum)
		encoder{whole}.text(field.name)
		whole.Write(sum)
		if field.name != "session" {
			encoder{command}.text(field.name)
			command.Write(sum)
		}
	}
	return Binding{Hash: hex.EncodeToString(whole.Sum(nil)), Command: hex.EncodeToString(command.Sum(nil)), Parts: parts}
}

// field is one field on its way into the hash.
type field struct {
	name   string
	encode func(encoder)
}

// fields is the one table of fields: their names, their order, and how each is encoded.
func (b *Bound) fields() []field {
	return []field{
		text("tool", b.Tool), text("agent", b.Agent), text("session", b.Session), text("host", b.Host), text("node", b.Node),
		text("cwd", b.Cwd), text("shell", b.Shell), text("command", b.Command),
		list("argv", b.Argv, encoder.texts),
		list("wrappers", b.Wrappers, func(e encoder, words [][]string) { each(e, words, encoder.texts) }),
		list("executables", b.Executables, func(e encoder, f File) { e.texts([]string{f.Path, f.Device, f.Inode}) }),
		list("scripts", b.Scripts, func(e encoder, s Script) { e.texts([]string{s.Path, s.SHA256}) }),
		list("env", b.Env, func(e encoder, pair [2]string) { e.texts(pair[:]) }),
		list("pathPrepend", b.PathPrepend, encoder.text),
		text("params", b.Params),
	}
}

func text(name, value string) field {
	return field{name, func(e encoder) { e.text(value) }}
}

func list[T any](name string, values []T, encode func(encoder, T)) field {
	return field{name, func(e encoder) { each(e, values, encode) }}
}

// Differing names the fields in which two bindings differ, in order.
func Differing(a, b map[string]string) []string {
	var names []string
	for _, name := range Fields() {
		if a[name] != b[name] || a[name] == "" {
			names = append(names, name)
		}
	}
	return names
}

type encoder struct{ hash.Hash }

func (e encoder) count(n int) {
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(n))
	e.Write(size[:])
}

func (e encoder) text(s string) {
	e.count(len(s))
	e.Write([]byte(s))
}

func (e encoder) texts(list []string) { each(e, list, encoder.text) }

// each encodes a list.
func each[T any](e encoder, list []T, encode func(encoder, T)) {
	e.count(len(list))
	for _, value := range list {
		encode(e, value)
	}
}
