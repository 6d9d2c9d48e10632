package grant

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// The binding (R29) is one SHA-256 over everything that an answer covers. Its
// encoding is the same to the byte for everybody who computes it; docs/approvals.md
// describes it with examples, which [Vectors] are.
//
//	string  = 8 bytes of length, big-endian, then its bytes
//	list    = 8 bytes of count, big-endian, then its elements
//	part    = SHA-256 of a field's encoding
//	binding = SHA-256 of "gavel-binding-1\n", then for each field in order its name,
//	          as a string, and its part, 32 bytes
const bindingPrefix = "gavel-binding-1\n"

// Fields are the names of the fields, in the order in which they are hashed.
func Fields() []string {
	return []string{"tool", "agent", "session", "host", "node", "cwd", "shell", "command", "argv", "wrappers",
		"executables", "scripts", "env", "params"}
}

// Binding is a computed binding.
type Binding struct {
	Hash    string            // hex
	Command string            // the same without the session: what history knows a command by
	Parts   map[string]string // field → hex
}

// Bound is everything that an answer covers, in words. Two are the same call
// exactly when their hashes are equal.
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
	Env         [][2]string  `json:"env"`    // names and values, sorted by name
	Params      string       `json:"params"` // canonical JSON of the other parameters
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
	for _, name := range Fields() {
		field := sha256.New()
		b.encode(encoder{field}, name)
		sum := field.Sum(nil)
		parts[name] = hex.EncodeToString(sum)
		encoder{whole}.text(name)
		whole.Write(sum)
		if name != "session" {
			encoder{command}.text(name)
			command.Write(sum)
		}
	}
	return Binding{Hash: hex.EncodeToString(whole.Sum(nil)), Command: hex.EncodeToString(command.Sum(nil)), Parts: parts}
}

func (b *Bound) encode(e encoder, name string) {
	switch name {
	case "tool":
		e.text(b.Tool)
	case "agent":
		e.text(b.Agent)
	case "session":
		e.text(b.Session)
	case "host":
		e.text(b.Host)
	case "node":
		e.text(b.Node)
	case "cwd":
		e.text(b.Cwd)
	case "shell":
		e.text(b.Shell)
	case "command":
		e.text(b.Command)
	case "params":
		e.text(b.Params)
	default:
		b.encodeList(e, name)
	}
}

func (b *Bound) encodeList(e encoder, name string) {
	switch name {
	case "argv":
		e.count(len(b.Argv))
		for _, words := range b.Argv {
			e.texts(words)
		}
	case "wrappers":
		e.count(len(b.Wrappers))
		for _, list := range b.Wrappers {
			e.count(len(list))
			for _, words := range list {
				e.texts(words)
			}
		}
	case "executables":
		e.count(len(b.Executables))
		for _, file := range b.Executables {
			e.texts([]string{file.Path, file.Device, file.Inode})
		}
	case "scripts":
		e.count(len(b.Scripts))
		for _, script := range b.Scripts {
			e.texts([]string{script.Path, script.SHA256})
		}
	case "env":
		e.count(len(b.Env))
		for _, pair := range b.Env {
			e.texts(pair[:])
		}
	}
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

func (e encoder) texts(list []string) {
	e.count(len(list))
	for _, s := range list {
		e.text(s)
	}
}
