// Package cases reads the cases of the reference for tests: testdata/claw-wrap-cases.jsonl. Each
// test of a package runs the cases of its areas as they are in the file.
package cases

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// all is how many cases there are. A file that is cut short proves nothing.
const all = 149

// Case is one case of the reference, as data.
type Case struct {
	Area   string `json:"area"`
	Name   string `json:"name"`
	Input  Fields `json:"input"`
	Expect Fields `json:"expect"`
}

// Fields are the members of an object.
type Fields map[string]json.RawMessage

// Read reads the cases of some areas, or of all. The path leads to the folder credentials.
func Read(t testing.TB, path string, areas ...string) (list []Case) {
	t.Helper()
	file, err := os.Open(path + "/testdata/claw-wrap-cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	read, lines := 0, bufio.NewScanner(file)
	for lines.Scan() {
		var c Case
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		read++
		if len(areas) == 0 || slices.Contains(areas, c.Area) {
			list = append(list, c)
		}
	}
	if err := lines.Err(); err != nil || read != all || len(list) == 0 {
		t.Fatalf("read %d cases, want %d; %d of the areas %v: %v", read, all, len(list), areas, err)
	}
	return list
}

// Get is the value of a member, or the zero value if it is not there.
func Get[T any](t testing.TB, fields Fields, name string) (value T) {
	t.Helper()
	if text, given := fields[name]; given {
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return value
}

// Has reports whether a member is there.
func (f Fields) Has(name string) bool { _, given := f[name]; return given }
