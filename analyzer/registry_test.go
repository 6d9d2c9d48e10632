package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// npm runs git for a repository, and which program git is, a file of the workspace says.
func TestNpmViewOfAnythingButAPackageOfARegistryRunsPrograms(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for _, name := range []string{"gist:0123abc", "git:x", "git+ssh:x", "github:x", "github:a/b", "a/b", "x@git:y", "x@gist:0123abc", "x@a/b", "@s/p@a/b", "@s/p@git:x",
		"x@npm:git:y", ".", ".@1", "./x", "~/x", "file:x", "x.tgz", "x.tar.gz", "x.TAR", "x@y.tgz", "https://example.com/x.tgz", "x@", "@s", "@s/.", "@/p", "$x", "*"} {
		for _, command := range []string{"npm view ", "npm info --json ", "npm v "} {
			assert.Contains(t, hazards(command+name+" version"), "runs PACKAGE "+name, command+name)
		}
	}
	for _, command := range []string{"npm view", "npm show --json"} {
		assert.Equal(t, []string{"runs PACKAGE"}, hazards(command), command)
	}
	for _, command := range []string{"npm view x", "npm view x version", "npm view @types/node versions --json", "npm view lodash.get@4.4.2 dist.tarball", "npm info 'x@>=1.2 <3'",
		"npm show x@latest", "npm view x@^1.0.0-rc.1", "npm view is-odd@1.x"} {
		assert.Empty(t, hazards(command), command)
	}
}
