package grant

import (
	"encoding/json"
)

// Vector is an example of the encoding, for other implementations of bindings.
type Vector struct {
	About string
	Bound Bound
}

// JSON returns the fields in indented JSON, for documentation.
func (v Vector) JSON() string {
	text, err := json.MarshalIndent(v.Bound, "", "  ")
	if err != nil {
		return err.Error() // not reached: texts always encode
	}
	return string(text)
}

// Vectors are the examples of docs/binding.md.
func Vectors() []Vector {
	return []Vector{
		{"Nothing at all: every text empty, every list without elements.", Bound{}},
		{"A pipeline with a wrapper, a variable and a script.", Bound{
			Tool: "exec", Agent: "main", Session: "agent:main:main", Host: "gateway", Cwd: "/srv/app", Shell: "bash",
			Command:  "'/usr/bin/nice' '-n' '5' '/usr/bin/rg' '-n' 'TODO é' | '/srv/app/count.sh'",
			Argv:     [][]string{{"/usr/bin/rg", "-n", "TODO é"}, {"/srv/app/count.sh"}},
			Wrappers: [][][]string{{{"dispatcher", "/usr/bin/nice", "-n", "5"}}, {}},
			Executables: []File{{"/usr/bin/nice", "2049", "131"}, {"/usr/bin/rg", "2049", "132"},
				{"/srv/app/count.sh", "2049", "133"}},
			Scripts: []Script{{"/srv/app/count.sh", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}},
			Env:     [][2]string{{"LC_ALL", "C"}}, PathPrepend: []string{"/opt/tools/bin", "/srv/app/bin"}, Params: `{"pty":true}`,
		}},
		{"Another tool: what it was given, as RFC 8785 writes it.", Bound{
			Tool: "message", Agent: "main", Session: "agent:main:main", Params: `{"text":"hi","to":"#ops"}`,
		}},
	}
}
