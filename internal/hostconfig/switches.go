package hostconfig

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// switches looks for settings, variables and aliases that switch hooks off.
func (d Doctor) switches(r *Report, host Host) {
	managed, _ := d.File(host, Managed)
	for _, name := range d.settings(host) {
		text, err := read(name)
		if text == nil || err != nil {
			continue
		}
		doc, err := parse(text)
		if err != nil {
			continue // said before, if hooks are there
		}
		for _, off := range host.Off {
			value, there := doc.get(off.At)
			list, _ := value.([]any)
			if !there || off.Has == "" && !same(value, off.Is) || off.Has != "" && !slices.Contains(list, any(off.Has)) {
				continue
			}
			if off.Not == Managed && slices.Equal(r.Installed, []string{managed}) {
				continue
			}
			r.problem(fmt.Sprintf("%s switches the hooks off: %s", name, off.At), "remove "+off.At+" there; if "+host.Title+" has managed settings, install there with --managed")
		}
	}
	for _, name := range host.Variables {
		if d.variable(name) != "" {
			r.problem("the variable "+name+" is set: "+host.Title+" runs without hooks", "unset "+name)
		}
	}
	d.aliases(r, host)
}

// settings are the files in which a host reads settings.
func (d Doctor) settings(host Host) []string {
	var list []string
	for _, level := range slices.Sorted(maps.Keys(host.Levels)) {
		if name, err := d.File(host, level); err == nil {
			list = append(list, name)
		}
	}
	for _, path := range host.Reads {
		if name, err := d.absolute(path); err == nil {
			list = append(list, name)
		}
	}
	return list
}

// aliases looks for the options with which a host runs without hooks in the startup files of
// shells.
func (d Doctor) aliases(r *Report, host Host) {
	for _, file := range []string{".bashrc", ".bash_aliases", ".bash_profile", ".profile", ".zshrc", ".zprofile", ".config/fish/config.fish"} {
		text, err := os.ReadFile(filepath.Join(d.Home, file))
		if err != nil {
			continue
		}
		for i, line := range strings.Split(string(text), "\n") {
			spaced := strings.NewReplacer("=", " ", "'", " ", `"`, " ").Replace(line)
			if strings.HasPrefix(strings.TrimSpace(line), "#") || !slices.Contains(strings.Fields(spaced), host.Program) {
				continue
			}
			for _, flag := range host.Flags {
				if strings.Contains(line, flag) {
					r.problem(fmt.Sprintf("~/%s:%d runs %s with %s, without hooks", file, i+1, host.Program, flag), "remove "+flag+" there")
				}
			}
		}
	}
}
