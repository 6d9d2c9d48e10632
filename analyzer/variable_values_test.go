package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The value of a variable is a fact where rules know harmless ones. A list of directories with modules
// is one with what it leads to, and with the code that gets it.
func TestValuesThatRulesKnowAreFacts(t *testing.T) {
	t.Parallel()
	root, a := virtual(t)
	type facts struct {
		value        string
		places, code []string
	}
	ws := root + "/ws"
	for command, want := range map[string]facts{
		"PAGER=cat git log":                           {value: "cat"},
		"PAGER='cat x' git log":                       {value: "cat x"},
		"export PAGER=cat; git log":                   {value: "cat"},
		"PAGER=$x git log":                            {},
		"PAGER=ca$x git log":                          {},
		"env PAGER=cat git log":                       {},
		"TOKEN=abc git log":                           {},
		"PYTHONPATH=src pytest":                       {places: []string{ws + "/src"}, code: []string{ws}},
		"PYTHONPATH=src:.: pytest -q | tee f":         {places: []string{ws, ws + "/src"}, code: []string{ws}},
		"PYTHONPATH=. python3 src/main.py":            {places: []string{ws}, code: []string{ws + "/src/main.py"}},
		"PYTHONPATH=. python3 -m pytest":              {places: []string{ws}, code: []string{ws}},
		"PYTHONPATH=src bash run.sh":                  {places: []string{ws + "/src"}, code: []string{ws + "/run.sh"}},
		"cd src && PYTHONPATH=.. pytest":              {places: []string{ws}, code: []string{ws + "/src"}},
		"PYTHONPATH=src bash -c 'pytest; make'":       {places: []string{ws + "/src"}, code: []string{ws}},
		"PYTHONPATH=src bash -c 'pytest; git log'":    {places: []string{ws + "/src"}},
		"PYTHONPATH=src git log":                      {places: []string{ws + "/src"}},
		"PYTHONPATH=src python3 -c 'print(1)'":        {places: []string{ws + "/src"}},
		"PYTHONPATH=src python3 -m http.server":       {places: []string{ws + "/src"}},
		"PYTHONPATH=/opt/x pytest":                    {places: []string{"/opt/x"}, code: []string{ws}},
		"PYTHONPATH=$x pytest":                        {},
		"PYTHONPATH='~/x' pytest":                     {code: []string{ws}},
		"cd $x; PYTHONPATH=src pytest":                {},
		"PYTHONPATH=src; pytest":                      {},
		"export PYTHONPATH=src; pytest":               {},
		"env PYTHONPATH=src pytest":                   {},
		"LD_LIBRARY_PATH=src pytest":                  {},
		"PYTHONPATH=src echo $(pytest)":               {places: []string{ws + "/src"}},
		"X=$(git log) PYTHONPATH=src pytest":          {places: []string{ws + "/src"}, code: []string{ws}},
		"PYTHONPATH=src pytest; PYTHONPATH=x git log": {places: []string{ws + "/src"}, code: []string{ws}},
	} {
		var got []facts
		for _, assignment := range seen(t, a, command).Assigned {
			if assignment.Name != "X" {
				got = append(got, facts{assignment.Value, assignment.Places, assignment.Code})
			}
		}
		require.NotEmpty(t, got, command)
		if want.places == nil {
			want.places = []string{}
		}
		if want.code == nil {
			want.code = []string{}
		}
		assert.Contains(t, got, want, command)
	}
	two := seen(t, a, "PYTHONPATH=src pytest; PYTHONPATH=src git log").Assigned
	assert.Len(t, two, 2, "one for each command")
}
