// Package hostconfig writes Gavel's hooks into the settings of hosts, takes them out again, and
// says which of them hold. What it knows about hosts is a table, hosts.yaml.
package hostconfig

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed hosts.yaml
var table []byte

// The levels at which hooks can be installed.
const (
	User    = "user"
	Project = "project"
	Managed = "managed"
)

// Host is one line of the table; hosts.yaml explains the members.
type Host struct {
	Name      string           `yaml:"-"`
	Title     string           `yaml:"title"`
	Program   string           `yaml:"program"`
	Shared    bool             `yaml:"shared"`
	Guest     bool             `yaml:"guest"`
	Since     Since            `yaml:"since"`
	Levels    map[string]Level `yaml:"levels"`
	Reads     []string         `yaml:"reads"`
	Lists     []List           `yaml:"lists"`
	Required  []Required       `yaml:"required"`
	Off       []Off            `yaml:"off"`
	Trust     string           `yaml:"trust"`
	Flags     []string         `yaml:"flags"`
	Variables []string         `yaml:"variables"`
	Script    string           `yaml:"script"`
	Plugin    bool             `yaml:"plugin"`
	Manual    string           `yaml:"manual"`
	Probe     string           `yaml:"probe"`
	Notes     []string         `yaml:"notes"`
	Unhooked  []string         `yaml:"unhooked"`
}

// Since is the oldest version in which hooks hold.
type Since struct {
	Version string `yaml:"version"`
	Why     string `yaml:"why"`
}

// Level is the file of one level.
type Level struct {
	File     string         `yaml:"file"`
	Darwin   string         `yaml:"darwin"`
	Variable string         `yaml:"variable"` // names the directory in which the file is, as Within
	Within   string         `yaml:"within"`
	Set      map[string]any `yaml:"set"`
}

// List is a list of hooks.
type List struct {
	At   string `yaml:"at"`
	Item any    `yaml:"item"`
}

// Required is a member of a hook without which it does not block when it fails.
type Required struct {
	In     string `yaml:"in"`
	Member string `yaml:"member"`
	Is     any    `yaml:"is"`
	Why    string `yaml:"why"`
}

// Off is a setting that switches hooks off: it has a value, or a list has an element.
type Off struct {
	At  string `yaml:"at"`
	Is  any    `yaml:"is"`
	Has string `yaml:"has"`
	Not string `yaml:"not"` // a level whose hooks it does not switch off
}

// Machine is what the table is applied to.
type Machine struct {
	Home    string // absolute
	Project string // absolute; the directory of the project
	OS      string // as runtime.GOOS
	Getenv  func(string) string
	Gavel   string            // absolute path of the program that hooks run: gavel, or gavel-hook
	Plugin  map[string][]byte // the files of opencode's plugin, by name
	// Unattended is true if hooks are told that nobody is there to be asked.
	Unattended bool
	// Root is put before absolute paths of the table; "" but in tests.
	Root string
}

// Hosts reads the table, sorted by name.
func Hosts() ([]Host, error) {
	var byName map[string]Host
	decoder := yaml.NewDecoder(bytes.NewReader(table))
	decoder.KnownFields(true)
	if err := decoder.Decode(&byName); err != nil {
		return nil, fmt.Errorf("read the table of hosts: %w", err)
	}
	var list []Host
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		host := byName[name]
		host.Name = name
		list = append(list, host)
	}
	return list, nil
}

// Names are the names of hosts, in order.
func Names(hosts []Host) (names []string) {
	for _, host := range hosts {
		names = append(names, host.Name)
	}
	return names
}

// Named returns the host of a name, or nil.
func Named(hosts []Host, name string) *Host {
	for i := range hosts {
		if hosts[i].Name == name {
			return &hosts[i]
		}
	}
	return nil
}

// File is the absolute path of a level's file.
func (m Machine) File(host Host, level string) (string, error) {
	l, known := host.Levels[level]
	if !known {
		return "", fmt.Errorf("%s has no hooks at the level %s: it has %s", host.Title, level, strings.Join(slices.Sorted(maps.Keys(host.Levels)), ", "))
	}
	name := l.File
	if m.OS == "darwin" && l.Darwin != "" {
		name = l.Darwin
	}
	if dir := m.variable(l.Variable); dir != "" {
		name = filepath.Join(dir, l.Within)
	}
	return m.absolute(name)
}

func (m Machine) variable(name string) string {
	if name == "" || m.Getenv == nil {
		return ""
	}
	return m.Getenv(name)
}

// absolute resolves a path of the table.
func (m Machine) absolute(name string) (string, error) {
	switch rest, home := strings.CutPrefix(name, "~/"); {
	case home && m.Home == "":
		return "", errors.New("the home directory is not known: set HOME")
	case home:
		return filepath.Join(m.Home, rest), nil
	case filepath.IsAbs(name):
		if strings.HasPrefix(name, m.Home+"/") {
			return name, nil
		}
		return filepath.Join("/", m.Root, name), nil
	default:
		return filepath.Join(m.Project, name), nil
	}
}

// filled replaces {program} and {command} in a value of the table.
func (m Machine) filled(host Host, value any) any {
	switch v := value.(type) {
	case string:
		return strings.NewReplacer("{program}", m.Gavel, "{command}", m.command(host)).Replace(v)
	case []any:
		if len(v) == 1 && v[0] == "{args}" {
			return m.args(host)
		}
		list := make([]any, len(v))
		for i := range v {
			list[i] = m.filled(host, v[i])
		}
		return list
	case map[string]any:
		members := map[string]any{}
		for name, inner := range v {
			members[name] = m.filled(host, inner)
		}
		return members
	}
	return value
}

// args are those with which Gavel answers a host's hook: the small program does nothing else. The
// name is left out where other hosts run the same hook: it must agree with the payload.
func (m Machine) args(host Host) []any {
	args := []any{}
	if filepath.Base(m.Gavel) != small {
		args = append(args, "hook")
	}
	if !host.Shared {
		args = append(args, host.Name)
	}
	if m.Unattended {
		args = append(args, unattended)
	}
	return args
}

// unattended is the option of hooks that says that nobody is there to be asked.
const unattended = "--unattended"

// small is the name of the program that answers hooks and does nothing else.
const small = "gavel-hook"

// command is the same as a shell command.
func (m Machine) command(host Host) string {
	text := quoted(m.Gavel)
	for _, arg := range m.args(host) {
		text += fmt.Sprint(" ", arg)
	}
	return text
}

// quoted writes a word for a shell. Plain words stay as they are, for people to read.
func quoted(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
