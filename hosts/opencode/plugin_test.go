package opencode_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/hosts/opencode"
)

// gavel install writes the files beside one another, and not as they are in the repository.
func TestTheFilesOfThePluginFindEachOther(t *testing.T) {
	files := opencode.Plugin()
	assert.Len(t, files, 2)
	assert.Contains(t, string(files["gavel.ts"]), `from "./gavel/ask.ts"`)
	assert.NotContains(t, string(files["gavel.ts"]), `from "../`)
	for line := range strings.Lines(string(files["gavel/ask.ts"])) {
		if strings.HasPrefix(line, "import ") {
			assert.Contains(t, line, `from "node:`, "it needs nothing else")
		}
	}
}
