package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer"
	"gavel/analyzer/host"
)

// What is in /proc changes all the time, so that nothing that was judged by its content would run.
func TestAFileThatIsOnlyShownIsNotBoundAsCode(t *testing.T) {
	t.Parallel()
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Home: "/home/nobody", Cwd: "/tmp", Path: []string{"/usr/bin", "/bin"}, Platform: "linux"})
	require.NoError(t, err)
	for command, bound := range map[string]bool{
		"cat /proc/meminfo":                        false,
		"head -n 3 /proc/cpuinfo":                  false,
		"grep -c processor /proc/cpuinfo":          false,
		"cat /proc/sys/kernel/osrelease":           false,
		"cat /proc/loadavg | head -1":              false,
		"tail -n 1 /etc/passwd":                    false,
		"cat /proc/loadavg | bash":                 true,
		"bash < /proc/loadavg":                     true,
		"cat /proc/loadavg | tee x | python3":      true,
		"bash /proc/loadavg":                       true,
		"bash /etc/passwd":                         true,
		"sort --compress-program=/etc/passwd f":    true,
		"awk -f /etc/passwd f":                     true,
		"sed -f /etc/passwd f":                     true,
		"curl -K /etc/passwd https://example.com":  true,
		"find /tmp -exec bash /proc/loadavg ';'":   true,
		"cat /proc/loadavg && . /proc/loadavg":     true,
		"cat /proc/loadavg | xargs bash /proc/mdx": true,
	} {
		found := false
		for _, s := range seen(t, a, command).Segments {
			found = found || len(s.Scripts)+len(s.Unbound) > 0
		}
		assert.Equal(t, bound, found, command)
	}
}
