package analyzer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
)

// carriers is a machine with programs that run others, and a few others.
func carriers() *gavel.Environment {
	return claims("bash", strings.Fields("bash sh env nice timeout xargs find watch flock strace ltrace unshare setpriv prlimit "+
		"systemd-run caffeinate arch sudo doas run0 pkexec runuser command ls rm grep cat git sed cp echo tool gzip")...)
}

// carried returns the segments of a command: their words, with the positions of
// words that are produced at run time, behind the wrappers that they run through.
func carried(exec *gavel.ExecFacts) string {
	var all []string
	for _, s := range exec.Segments {
		text := ""
		for _, w := range s.Wrappers {
			text += strings.Join(w.Argv, " ") + " > "
		}
		text += strings.Join(s.Argv, " ")
		if len(s.Dynamic) > 0 {
			text += " " + fmt.Sprint(s.Dynamic)
		}
		if s.Opaque != "" {
			text += " ? " + s.Opaque
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

func TestCommandsInsideWrappersAreExtracted(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"xargs rm":                                      "xargs > rm [1]",
		"xargs -0 -n 1 -P4 rm -f":                       "xargs -0 -n 1 -P4 > rm -f [2]",
		"xargs -rt --max-args=2 -- ls":                  "xargs -rt --max-args=2 -- > ls [1]",
		"xargs -I F cp F /tmp/F.bak":                    "xargs -I F > cp F /tmp/F.bak [1 2]",
		"xargs -i cp {} d":                              "xargs -i > cp {} d [1]",
		"xargs -IX env A=1 nice ls X":                   "xargs -IX > env A=1 > nice > ls X [1]",
		"xargs --replace=R ls R":                        "xargs --replace=R > ls R [1]",
		"xargs -d , -a f ls":                            "xargs -d , -a f > ls [1]",
		"ls | xargs grep x":                             "ls; xargs > grep x [2]",
		"watch -n 2 ls -l /tmp":                         "watch -n 2 > ls -l /tmp",
		"watch -x -d ls":                                "watch -x -d > ls",
		"watch nice ls":                                 "watch > nice > ls",
		"flock -n /tmp/l ls":                            "flock -n /tmp/l > ls",
		"strace -f -e trace=open ls":                    "strace -f -e trace=open > ls",
		"unshare -rn --mount-proc ls":                   "unshare -rn --mount-proc > ls",
		"setpriv --no-new-privs ls":                     "setpriv --no-new-privs > ls",
		"prlimit --nofile=10 -c0 ls":                    "prlimit --nofile=10 -c0 > ls",
		"systemd-run --user --scope ls":                 "systemd-run --user --scope > ls",
		"caffeinate -d -w 42 sh -c ls":                  "caffeinate -d -w 42 > sh -c > ls",
		"arch -arch arm64 ls":                           "arch -arch arm64 > ls",
		"sudo -n ls":                                    "sudo -n > ls",
		"sudo -u bob A=1 ls":                            "sudo -u bob A=1 > ls",
		"doas -u bob ls":                                "doas -u bob > ls",
		"run0 --user=bob ls":                            "run0 --user=bob > ls",
		"pkexec --user bob ls":                          "pkexec --user bob > ls",
		"runuser -u bob -- ls":                          "runuser -u bob -- > ls",
		"command ls -l":                                 "command > ls -l",
		"exec ls; rm x":                                 "exec > ls; rm x",
		"bash -c 'exec -- ls'":                          "bash -c > exec -- > ls",
		"command -v ls":                                 "command -v ls",
		"command -V ls":                                 "command -V ls",
		"find . -name x -exec rm {} ';'":                "find . -name x -exec /usr/bin/rm {} ;; find -exec > rm {} [1]",
		"find a b -type f -exec ls -lh {} +":            "find a b -type f -exec /usr/bin/ls -lh {} +; find -exec > ls -lh {} [2 3]",
		"find . -execdir nice rm x{} ';' -o -ok ls ';'": "find . -execdir /usr/bin/nice /usr/bin/rm x{} ; -o -ok /usr/bin/ls ;; find -execdir > nice > rm x{} [1]; find -ok > ls",
		"find . -exec bash -c 'ls; rm x' ';'":           "find . -exec /usr/bin/bash -c '/usr/bin/ls'; '/usr/bin/rm' 'x' ;; find -exec > bash -c > ls; find -exec > bash -c > rm x",
		"nice find . -exec ls ';'":                      "nice > find . -exec /usr/bin/ls ;; nice > find -exec > ls",
		"xargs find . -name":                            "xargs > find . -name [3]",
		"find . -exec nosuch ';'":                       "find . -exec nosuch ;; find -exec > nosuch",
		"timeout 5 xargs sudo ls":                       "timeout 5 > xargs > sudo > ls [1]",
		"env find . ! -name x '(' -size +1M , -print ')' -prune":     "env > find . ! -name x ( -size +1M , -print ) -prune",
		"find -L . -maxdepth 1 -newer f -exec grep -l a '{}' '{}' +": "find -L . -maxdepth 1 -newer f -exec /usr/bin/grep -l a {} {} +; find -exec > grep -l a {} {} [3 4 5]",
	} {
		exec := analyze(t, carriers(), command)
		require.True(t, exec.Parsed, "%q: %+v", command, exec.Refusal)
		assert.Equal(t, want, carried(exec), command)
		if !strings.Contains(command, "nosuch") && !strings.HasPrefix(command, "exec") && !strings.HasPrefix(command, "command") && !strings.Contains(command, "exec --") {
			assert.NotEmpty(t, exec.Rendered, command)
			assertRenderedRuns(t, t, exec)
		}
	}
}

// checkNotExtracted compares why commands are opaque whose inner command cannot be extracted.
func checkNotExtracted(t *testing.T, cases map[string]string) {
	t.Helper()
	for command, why := range cases {
		exec := analyze(t, carriers(), command)
		require.True(t, exec.Parsed, "%q: %+v", command, exec.Refusal)
		got := ""
		for _, s := range exec.Segments {
			got += s.Opaque
		}
		assert.Equal(t, why, got, command)
	}
}

func TestACommandOfXargsWatchOrFindThatCannotBeExtractedIsOpaque(t *testing.T) {
	t.Parallel()
	checkNotExtracted(t, map[string]string{
		"xargs":                            "xargs without a command",
		"xargs -n 1":                       "xargs without a command",
		"xargs -I {} {} x":                 "xargs with words produced at run time",
		"xargs -I {} {}ls x":               "xargs with words produced at run time",
		"xargs -I '' ls":                   "xargs -I with an empty value",
		"xargs -I X -n 1 ls X":             "xargs with added and replaced words",
		"xargs -J X ls":                    "xargs -J",
		"xargs sh":                         "sh without -c",
		"xargs sh -c":                      "sh -c without a text",
		"xargs sh -c ls":                   "sh with words produced at run time",
		"xargs sh -c ls _":                 "sh with words produced at run time",
		"xargs env":                        "env without a command",
		"xargs env A=1":                    "env without a command",
		"xargs -I X nice -n X ls":          "nice with words produced at run time",
		"xargs -I X sh -c 'ls X'":          "sh with words produced at run time",
		"xargs nice -n":                    "nice -n without a value",
		"xargs watch ls":                   "watch with words produced at run time",
		"xargs xargs":                      "xargs without a command",
		"watch 'ls; rm x'":                 "watch with words that a shell would read",
		"watch ls '$HOME'":                 "watch with words that a shell would read",
		"watch ls ''":                      "watch with words that a shell would read",
		"watch A=1 ls":                     "watch with words that a shell would read",
		"watch sh -c 'ls x'":               "watch with words that a shell would read",
		"watch -n 1":                       "watch without a command",
		"find . -exec exec ls ';'":         "exec outside a shell",
		"find . -exec sh ';'":              "sh without -c",
		"find . -exec sh -c 'rm {}' ';'":   "sh with words produced at run time",
		"find . -exec sh -c 'rm x' {} ';'": "sh with words produced at run time",
		"find . -exec watch rm {} ';'":     "watch with words produced at run time",
		"find . -exec env {} ';'":          "env with words produced at run time",
	})
}

func TestACommandOfAnotherWrapperThatCannotBeExtractedIsOpaque(t *testing.T) {
	t.Parallel()
	checkNotExtracted(t, map[string]string{
		"flock /tmp/l -c 'rm x'":           "flock -c",
		"flock 9":                          "flock without a command",
		"strace -o '|rm x' ls":             "strace -o",
		"strace -p 1":                      "strace -p",
		"strace -E PATH=/tmp ls":           "strace -E",
		"unshare -R /tmp ls":               "unshare -R",
		"unshare --wd=/tmp ls":             "unshare --wd=/tmp",
		"systemd-run ls":                   "systemd-run without user",
		"systemd-run --scope ls":           "systemd-run without user",
		"systemd-run --user ls":            "systemd-run without scope",
		"systemd-run --user --scope -S":    "systemd-run -S",
		"systemd-run -p ExecStartPre=x ls": "systemd-run -p",
		"arch":                             "arch without a command",
		"arch -e A=1 ls":                   "arch -e",
		"sudo -i":                          "sudo -i",
		"sudo -s ls":                       "sudo -s",
		"sudo -e f":                        "sudo -e",
		"sudo -D /tmp ls":                  "sudo -D",
		"doas -s":                          "doas -s",
		"doas -C f ls":                     "doas -C",
		"runuser bob -c ls":                "runuser without user",
		"runuser -u bob -c ls":             "runuser -c",
		"command -p ls":                    "command -p",
		"command":                          "command without a command",
		"env command ls":                   "command outside a shell",
		"exec -a x ls":                     "exec -a",
	})
}

// realAnalyzer has the shipped tables.
func realAnalyzer(t *testing.T) *analyzer.Analyzer {
	t.Helper()
	a, err := analyzer.New(analyzer.Config{Host: emptyHost{}, Tables: shippedTables(t)})
	require.NoError(t, err)
	return a
}

func TestHazardsOfWordsProducedAtRunTime(t *testing.T) {
	t.Parallel()
	a := realAnalyzer(t)
	for command, want := range map[string]string{
		"xargs rm":                             "writes -r 1,writes dynamic 1",
		"xargs rm --":                          "",
		"xargs rm -f --":                       "",
		"xargs tool":                           "",
		"xargs -I X cp X d":                    "writes TARGET 1,writes dynamic 1,writes TARGET 2",
		"xargs -I X cp ./X d":                  "writes TARGET 2",
		"xargs -I X sed ./X f":                 "program inline program 1,unread script 1",
		"xargs git":                            "loads dynamic 1,runs dynamic 1,unknown dynamic 1",
		"xargs git show":                       "runs dynamic 2,writes dynamic 2",
		"xargs -I X git ./X":                   "runs dynamic 1,unknown dynamic 1",
		"find . -exec git {} ';'":              "program inline command 2,runs dynamic 1,unknown dynamic 1",
		"find . -exec grep x {} ';'":           "program inline command 2",
		"find . -exec grep x {} +":             "program inline command 2",
		"find . -execdir grep x {} ';'":        "program inline command 2,elsewhere outside 2",
		"find . -exec grep -{} ';'":            "program inline command 2",
		"find . -delete":                       "program -delete 2,writes -delete 2",
		"find . -exec ls ';' -delete":          "program inline command 2,program -delete 5,writes -delete 5",
		"find . -name -exec ls ';'":            "program inline command 3,runs -exec 3",
		"find . -frob -exec ls ';'":            "program inline command 3,runs -exec 3",
		"find . -exec ls":                      "program inline command 2,runs -exec 2",
		"find . -exec {} ';'":                  "program inline command 2,runs -exec 2",
		"find . -exec ./{} ';'":                "program inline command 2,runs -exec 2",
		"find . -exec ';'":                     "program inline command 2,runs -exec 2",
		"find . -fprintf f %p -exec ls ';'":    "program inline command 2,writes -fprintf 2,program inline command 5,runs -exec 5",
		"find . -exec grep -f p {} ';' -fls f": "program inline command 2,program inline command 8,writes -fls 8,reads -f 1",
		"xargs find .":                         "runs dynamic 2,writes dynamic 2",
		"flock -n /tmp/l ls":                   "",
	} {
		exec := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}, Environment: carriers()}, nil).Exec
		require.True(t, exec.Parsed, command)
		var got []string
		for _, s := range exec.Segments {
			for _, h := range s.Hazards {
				got = append(got, fmt.Sprintf("%s %s %d", h.Kind, h.Option, h.Index))
			}
		}
		assert.Equal(t, want, strings.Join(got, ","), command)
	}
	for command, want := range map[string][]gavel.Hazard{
		"flock -n /tmp/l ls": {{Kind: "elsewhere", Option: "outside", Argument: "/tmp/l", Index: 2, Real: "/tmp/l"},
			{Kind: "writes", Option: "LOCK", Argument: "/tmp/l", Index: 2}},
		"strace -e inject=open:retval=0 ls":   {{Kind: "runs", Option: "inject", Argument: "inject=open:retval=0", Index: 1}},
		"strace -f -e trace=open ls":          {},
		"xargs -a f ls":                       {{Kind: "reads", Option: "-a", Argument: "f", Index: 1}},
		"timeout 5 ls":                        {},
		"systemd-run --user --scope -- ls -l": {},
	} {
		exec := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}, Environment: carriers()}, nil).Exec
		require.True(t, exec.Parsed)
		require.NotEmpty(t, exec.Segments[0].Wrappers, "%s: %s", command, exec.Segments[0].Opaque)
		assert.Equal(t, want, exec.Segments[0].Wrappers[0].Hazards, command)
	}
}
