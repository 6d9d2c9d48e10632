package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// checkSearched compares the denied files that commands may read because they read directories.
func checkSearched(t *testing.T, cases map[string][]string) {
	t.Helper()
	root := project(t)
	for command, want := range cases {
		got := hazardsIn(t, root, command)
		if command == "grep -r x $D" { // what the variable holds is unknown
			assert.Contains(t, got, "unseen")
			continue
		}
		assert.ElementsMatch(t, want, got, command)
	}
}

func TestDirectoriesThatRipgrepReadsAreSearched(t *testing.T) {
	t.Parallel()
	both, env, key, file := []string{"below ws/.env", "below ws/conf/server.key", "below ws/lib/deep/b.go"}, "below ws/.env", "below ws/conf/server.key", "below ws/lib/deep/b.go"
	checkSearched(t, map[string][]string{
		"rg x":          {key, file},
		"rg x .":        {key, file},
		"rg --hidden x": both,
		"rg -uu x":      both,
		"rg -. x":       both,
		"rg --hidden -g '!.env' -g '!{server,b}.{key,go}' x": {key, file},
		"rg --hidden -g '!.env' -g '!*.key' -g '!b.go' x":    {},
		"rg -g '*.md' x":       {},
		"rg -g '*.{md,key}' x": {key},
		// What is named in these ways is read although its name begins with a dot.
		"rg -g .env x":                         {env},
		"rg -g '.e*' x":                        {env},
		"rg -g '!*.md' -g '.e*' x":             {env, key, file},
		"rg --iglob .ENV x":                    both,
		"rg --glob-case-insensitive -g .ENV x": both,
		"rg --iglob '!.env' x":                 {key, file},
		"rg -t sh x":                           both,
		"rg -tall x":                           both,
		"rg -t go x":                           {key, file},
		"rg --type-add 'e:*nv' -t e x":         both,
		"rg --type-add 'e:include:sh' -t e x":  both,
		"rg --type-add 'e:*.e' -t e x":         {key, file},
		"rg --ignore-file x y":                 both,
		"rg -g 'lib/**' x":                     {key, file},
		"rg -g '!clean/**' x":                  {key, file},
		"rg --files":                           {},
		"echo x | rg x":                        {},
		"echo x | rg x conf":                   {key},
		"rg x </dev/null":                      {key, file},
	})
}

func TestDirectoriesThatOtherProgramsReadRecursivelyAreSearched(t *testing.T) {
	t.Parallel()
	both, env, key, file := []string{"below ws/.env", "below ws/conf/server.key", "below ws/lib/deep/b.go"}, "below ws/.env", "below ws/conf/server.key", "below ws/lib/deep/b.go"
	checkSearched(t, map[string][]string{
		"grep -r x .":           both,
		"grep -rn x":            both,
		"grep --recursive x ./": both,
		"grep --recurs x .":     both,
		"grep -d recurse x .":   both,
		"grep -drec x .":        both,
		"grep --dir=recur x .":  both,
		"grep -d skip x .":      {},
		"zcat -rf .":            append([]string{"-r"}, both...), // an option of gzip, which writes
		"zcat -f clean/auth.c":  {},
		"grep -nrI x conf src":  {key},
		"grep -r x clean":       {},
		"grep x .":              {},
		"grep -r x conf/*":      {"denied ws/conf/server.key", "secret ws/conf/server.key"},
		"grep -r x l*b":         {file},
		"grep -r x . --exclude=.env --exclude='*.key' --exclude=b.go": {},
		"grep -r x . --exclude-dir=conf":                              {env, file},
		"grep -r x . --include=*.md":                                  {},
		"grep -r x . --include='*.go'":                                {file},
		"cd conf && grep -r x":                                        {key},
		"sh -c 'grep -r x conf'":                                      {key},
		"echo x | grep -r x conf":                                     {key},
		"diff -r conf clean":                                          {key},
		"diff -x '*.key' conf clean":                                  {},
		"diff lib src":                                                {file, "unseen"},
		"git grep x":                                                  {},
		"git grep --untracked x":                                      both,
		"grep -r x $D":                                                {},
	})
}

func TestTarReadsWhatItPacksInEachDirectoryThatItEnters(t *testing.T) {
	t.Parallel()
	root := project(t)
	key, file := "below ws/conf/server.key", "below ws/lib/deep/b.go"
	for command, want := range map[string]string{
		"tar -cf a.tar -C conf .":                              key,
		"tar cfC a.tar conf .":                                 key,
		"tar -cf a.tar --directory=conf .":                     key,
		"tar -cf a.tar --directory conf .":                     key,
		"tar -cf a.tar -C src -C ../conf .":                    key,
		"tar -cf a.tar -C lib deep -C ../src a.go":             file,
		"tar -cf a.tar -C lib deep -C ../clean c.go -C .. src": file,
		"tar -cf a.tar -C lib/deep b.go -C ../../src a.go":     "denied ws/lib/deep/b.go",
	} {
		assert.Contains(t, hazardsIn(t, root, command), want, command)
	}
	assert.NotContains(t, hazardsIn(t, root, "tar -cf a.tar -C lib out -C ../src a.go"), file)
}
