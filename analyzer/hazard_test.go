package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/programs"
	"gavel/rego"
)

// observe returns the exec facts of a command, with the table that Gavel ships.
func observe(t *testing.T, environment *gavel.Environment, command string) *gavel.ExecFacts {
	t.Helper()
	a, err := analyzer.New(analyzer.Config{Host: emptyHost{}, Tables: shippedTables(t)})
	require.NoError(t, err)
	return a.Analyze(t.Context(), gavel.Call{Environment: environment,
		Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}}, nil).Exec
}

// hazardsOf returns the hazards of a command of one segment as "kind option argument",
// without those that only strict inline evaluation asks about.
func hazardsOf(t *testing.T, command string) []string {
	t.Helper()
	return hazardsFound(t, command, observe(t, claims("bash", strings.Fields(command)[0]), command))
}

// hazardsBy is the same with tables that were read once.
func hazardsBy(t *testing.T) func(command string) []string {
	t.Helper()
	a, err := analyzer.New(analyzer.Config{Host: emptyHost{}, Tables: shippedTables(t)})
	require.NoError(t, err)
	return func(command string) []string {
		return hazardsFound(t, command, a.Analyze(t.Context(), gavel.Call{Environment: claims("bash", strings.Fields(command)[0]),
			Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}}, nil).Exec)
	}
}

func hazardsFound(t *testing.T, command string, exec *gavel.ExecFacts) []string {
	t.Helper()
	require.True(t, exec.Parsed, "%s", command)
	require.NotNil(t, exec.Segments[0].Hazards)
	list := []string{}
	for _, h := range exec.Segments[0].Hazards {
		if h.Kind == "program" || h.Kind == "code" || h.Kind == "carried" || h.Kind == "elsewhere" {
			continue
		}
		list = append(list, strings.TrimSpace(h.Kind+" "+h.Option+" "+h.Argument))
	}
	return list
}

// checkHazardOf compares the first hazard of commands, or all of them if none or one of the network is wanted.
func checkHazardOf(t *testing.T, cases []struct{ name, command, want string }) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			list := hazardsOf(t, c.command)
			first := ""
			if len(list) > 0 {
				first = list[0]
			}
			if strings.HasPrefix(c.want, "network") || c.want == "" {
				assert.Equal(t, c.want, strings.Join(list, "; "), c.command)
			} else if !assert.Equal(t, c.want, first, c.command) {
				t.Log(list)
			}
		})
	}
}

func TestOptionsAreReadAsTheProgramReadsThem(t *testing.T) {
	t.Parallel()
	checkHazardOf(t, []struct{ name, command, want string }{
		{"a value in the next word", "sort -o out f", "writes -o out"},
		{"at the end of a cluster", "sort -ruo out f", "writes -o out"},
		{"a long option with a value", "sort --output=out f", "writes --output out"},
		{"a long option abbreviated", "sort --outp out f", "writes --output out"},
		{"behind operands", "sort f -o out", "writes -o out"},
		{"behind --, it is a file", "sort -- -o out", ""},
		{"as the value of another option, it is none", "sort -k -o f", ""},
		{"an option that is unknown", "sort --frob f", "unknown --frob"},
		{"-- does not end find's expression", "find -- . -delete", "writes -delete"},
		{"a word of a first cluster without a dash", "tar tf a.tar -I ./evil", "runs -I ./evil"},
		{"an assignment to make", "make all CC=./evil", "runs VAR= CC=./evil"},
		{"one dash or two", "go test --exec=./evil ./...", "runs -exec ./evil"},
		{"names in upper case", "SORT -o out", "writes -o out"},
		{"/dev/null keeps nothing", "curl -o /dev/null http://x", "network URL http://x"},
		{"an option of tar that writes while it lists", "tar -tf a.tar --index-file=x", "writes --index-file x"},
		{"an unknown option of tar", "tar -tf a.tar --frobnicate", "unknown --frobnicate"},
		{"a list of names for tar, which may hold options", "tar -tf a.tar -T names", "loads -T names"},
		{"a list of names for rsync", "rsync --files-from=names src dst", "reads --files-from names"},
		{"an unknown option of make", "make --frobnicate", "unknown --frobnicate"},
		{"diff through pr", "diff -l a b", "runs -l"},
		{"diff with context", "diff -U 3 -L a a b", ""},
		{"an option that takes two words", "jq --arg a . env", "secrets environment env"},
		{"the second of two words is none", "jq --arg a -f .x f", ""},
		{"what takes an option back", "git clean -n --no-dry-run", "unknown --no-dry-run"},
		{"an unknown program", "frobnicate -o x --exec y", ""},
	})
}

func TestSubcommandsAndQuestionsAreReadAsTheProgramReadsThem(t *testing.T) {
	t.Parallel()
	checkHazardOf(t, []struct{ name, command, want string }{
		{"a value in the same word", "sort -oout f", "writes -o out"},
		{"a quoted option is the same option", "find . -ex\\ec id \\;", "runs -exec id"},
		{"behind a sub-command, another option", "git grep -c x", ""},
		{"before a sub-command", "git -c core.pager=./evil log", "runs -c core.pager=./evil"},
		{"a sub-command that is unknown", "git evil", "runs evil"},
		{"a sub-command of a sub-command", "git submodule update", "runs submodule update"},
		{"a versioned interpreter", "python3.12 -Ic del", "inline -c del"},
		{"an interpreter that reads its input", "python3", "inline stdin"},
		{"what an interpreter may say of itself", "python3 --version", ""},
		{"behind a sub-command of a closed table", "npm test --frobnicate", "unknown --frobnicate"},
		{"the same of a sub-command that is said to be safe", "kubectl top --frobnicate pod", "unknown --frobnicate"},
		{"two sub-commands down, an option of the program", "aws s3 ls --endpoint-url x", "loads --endpoint-url x"},
		{"a question about the program itself", "java -version", ""},
		{"the same and something else", "java -version -jar", "runs java"},
		{"the same behind something else", "rustc -o x --version", "writes rustc"},
		{"a version that the project's own files may say", "rustc --version", "writes rustc"},
		{"the same of an SDK", "dotnet --version", "runs dotnet"},
		{"Gavel, with a policy of the caller", "gavel --output json run --policy p -- ls", "runs run"},
		{"Gavel, for the daemon that judges by itself", "gavel wrap gh run list", ""},
		{"Gavel, as a part of its runner, which asks whoever starts it", "gavel __supervise", "runs __supervise"},
		{"the same by a link, with what the runner starts for a script", "gavel __script 3 1 /usr/bin/bash bash x.sh", "runs __script"},
		{"the shell of Gavel", "gavel-shell -c ls", "runs gavel-shell"},
	})
}

func TestBothNamesOfAProgramCount(t *testing.T) {
	t.Parallel()
	environment := claims("bash")
	environment.Executables = map[string]string{"/opt/tool": "/usr/bin/vim.basic"}
	exec := observe(t, environment, "/opt/tool x")
	assert.Equal(t, []gavel.Hazard{{Kind: "runs", Option: "vim.basic"}}, exec.Segments[0].Hazards)
}

// TestWordsThatMayBecomeSeveral: as the value of an option only the first of them is
// one, and as operands they have as many numbers as there are.
func TestWordsThatMayBecomeSeveral(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		`sort -k $x f`:              "runs dynamic $x",
		`sort -k "$x" f`:            "",
		`sort -k$x f`:               "runs dynamic -k$x",
		`sort -k "$@" f`:            `runs dynamic "$@"`,
		`sort -k * f`:               "runs dynamic *",
		`sort -k $# f`:              "",
		`sort -k $! f`:              "runs dynamic $!",
		`sort -k $x -- -o f`:        "runs dynamic $x",
		`go test -run $x ./...`:     "loads dynamic $x",
		`uniq src/*`:                "writes OUTPUT src/*",
		`uniq -- $x`:                "writes OUTPUT $x",
		`uniq -c "$x"`:              `writes OUTPUT "$x"`,
		`cp src/*`:                  "writes TARGET src/*",
		`cp src/* d`:                "writes TARGET d",
		`cp a src/*`:                "writes TARGET src/*",
		`sed -n 1p src/*`:           "",
		`yarn workspace src/* x`:    "runs command src/*",
		`sed -n src/* 's/a/id/e'`:   "unread script src/*",
		`awk '{print $1}' src/* x*`: "",
	} {
		list := hazardsOf(t, command)
		if want == "" {
			assert.Empty(t, list, command)
		} else {
			assert.Contains(t, list, want, command)
		}
	}
}

func TestScripts(t *testing.T) {
	t.Parallel()
	for command, plain := range map[string]bool{
		`sed -n '1,5p' f`:                                true,
		`sed 's/a/b/g; /x/d' f`:                          true,
		`sed 's|w x|e|gI' f`:                             true,
		`sed -e '/^$/d' -e '$!N' f`:                      true,
		`sed 's/a/b/e' f`:                                false,
		`sed 's/a/b/gw out' f`:                           false,
		`sed '1e id' f`:                                  false,
		`sed 'w out' f`:                                  false,
		`sed '/x/{p;r /etc/shadow` + "\n" + `}' f`:       false,
		`sed 's/[/]/w x/;p' f`:                           false,
		`sed ':a;w x' f`:                                 false,
		`sed 'y/ab/cd/w x' f`:                            false,
		`awk '{print $1}' f`:                             true,
		`awk 'NR>1{print $1":"$2}' f`:                    true,
		`awk -F: '$3 > 5 || /x|y/ {n++} END{print n}' f`: true,
		`awk '{print "a > b | c"}' f`:                    true,
		`awk '{print (a > b)}' f`:                        true,
		`awk '{print > "out"}' f`:                        false,
		`awk '{print a,` + "\n" + `b > "out"}' f`:        false,
		`awk '{print(1)>"out"}' f`:                       false,
		`awk '{print | "sh"}' f`:                         false,
		`awk '/"/{"id"|getline x} /"/' f`:                false,
		`awk 'BEGIN{system("id")}'`:                      false,
		`awk 'BEGIN{f="system";@f("id")}'`:               false,
		`awk '/[]/"]/{"id"|getline}' f`:                  false,
	} {
		assert.Equal(t, plain, len(hazardsOf(t, command)) == 0, command)
	}
}

// The sub-command is known where nothing before it can be anything.
func TestSubCommands(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"git push origin main":             "push",
		"git -C x push":                    "push",
		"git -C $x push":                   "",
		"git -C \"$x\" push":               "push",
		"git $x push":                      "",
		"git \"$x\" push":                  "",
		"git --no-pager push":              "push",
		"git push $x":                      "push",
		"git $(echo push)":                 "",
		"git frobnicate":                   "",
		"git -C push":                      "",
		"git":                              "",
		"go test ./...":                    "test",
		"rg push":                          "",
		"nice -n 5 git -C x push":          "push",
		"git remote add x y":               "remote",
		"python3 -m pytest tests":          "",
		"kubectl -n x get pods":            "get",
		"evil push":                        "",
		"sh -c 'git push'":                 "push",
		"git --config-env=a=b push":        "push",
		"git --frobnicate push":            "",
		"git -c \"alias.push=!evil\" push": "push",
	} {
		exec := observe(t, everything("bash"), command)
		if assert.Nil(t, exec.Refusal, command) {
			assert.Equal(t, want, exec.Segments[len(exec.Segments)-1].SubCommand, command)
		}
	}
}

// A program that is a link to another one is read as both.
func TestSubCommandsOfTwoPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, real, want string }{
		{"git", "/usr/bin/git", "show"}, {"git", "/usr/bin/rustup", "show"}, {"git", "/usr/bin/evil", "show"}, {"evil", "/usr/bin/git", "show"},
		{"git", "/usr/bin/go", ""}, {"go", "/usr/bin/git", ""},
	} {
		environment := claims("bash", c.name)
		environment.Executables[c.name] = c.real
		exec := observe(t, environment, c.name+" show")
		require.Nil(t, exec.Refusal)
		assert.Equal(t, c.want, exec.Segments[0].SubCommand, "%s is %s", c.name, c.real)
	}
}

// Vocabularies are made when they are first asked for, so that nothing else would find one that
// cannot be made.
func TestTheArgumentsOfEveryDescribedProgramAreRead(t *testing.T) {
	t.Parallel()
	catalog, err := programs.Read(rego.Policy)
	require.NoError(t, err)
	table, read := shippedTables(t).Hazards, 0
	for _, e := range catalog.Entries() {
		from := catalog.DescribedBy(e)
		if from == nil {
			continue
		}
		for _, name := range e.Names() {
			known, vocabulary := table.Program(name)
			read++
			assert.Equal(t, name, known)
			for _, o := range from.Options {
				_, listed := vocabulary.Option(o.Names[0])
				assert.Equal(t, o.Value != programs.ValueUnknown, listed, "%s %s", name, o.Names[0])
			}
		}
	}
	assert.Greater(t, read, 600)
}
