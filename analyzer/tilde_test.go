package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestARedirectionToTheHomeDirectoryNamesItsFile(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"echo x > ~/.bashrc":            "/home/u/.bashrc",
		"cat < ~/a/../b":                "/home/u/b",
		"cd ~ && echo x >> ~/notes.txt": "/home/u/notes.txt",
		"echo x > /home/u/.bashrc":      "/home/u/.bashrc",
		"echo x > '~/.bashrc'":          "/srv/app/~/.bashrc",
		"echo x > ~/$F":                 "",
		"echo x > ~other/.bashrc":       "",
		"echo x > ~+/a":                 "",
		"echo x > ~/a:~/b":              "",
		"echo x > ~/*":                  "",
		"echo x > ~":                    "",
		"echo x > $HOME/.bashrc":        "",
	} {
		exec := analyze(t, claims("bash", "echo", "cat"), command)
		if exec.Parsed {
			assert.Equal(t, want, exec.Redirects[0].Path, command)
		} else {
			assert.Empty(t, want, command)
		}
	}
}
