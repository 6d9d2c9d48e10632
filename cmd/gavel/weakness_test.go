package main

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// weakness is one known weakness of the reference (docs/rules.md, W and Z), commands
// that show it, and settings under which the reference allows them. None may be
// allowed here.
type weakness struct {
	name     string
	settings map[string]any
	commands []string
}

// strict asks about inline evaluation, and the programs may be given any argument.
func strict(security string, programs ...string) map[string]any {
	list := []any{}
	for _, name := range programs {
		list = append(list, map[string]any{"pattern": "/usr/bin/" + name, "args": "any"})
	}
	return map[string]any{"security": security, "ask": "off", "strictInlineEval": true, "allowlist": list}
}

// safeBinWeaknesses are about words with which a safe bin would do more than filter.
func safeBinWeaknesses() []weakness {
	return []weakness{
		{"W9 a comment swallows the next line", nil, []string{"sh -c 'wc # x\nid'", "wc # x\nid"}},
		{"W10 a blank of Unicode before #", nil, []string{"bash -c 'wc \u00a0# ; id'", "wc \u00a0# ; id"}},
		{"W11 a quoted empty word before #", nil, []string{`wc ''#x /etc/passwd`, `tail -n 5 ''#x /etc/passwd`}},
		{"W12 a quote of ANSI C", nil, []string{`tr a $'\' ' ; id #'`}},
		{"W15 an expansion smuggles arguments", nil, []string{`head -n ${x:-1$IFS/etc/passwd}`, `head -n "$x"`, `wc $x`, `tail -n {1,/etc/passwd}`}},
		{"W19 an empty argument vanishes", nil, []string{`cut -d '' -f1 x`, `cut -d '' -f1`, `head -n ''`}},
		{"W23 dots in the path of a safe bin", nil, []string{`/usr/bin/../../tmp/evil/head -n 1`}},
		{"W24 a link to a safe bin in an untrusted directory", nil, []string{`/opt/x/head -n 1`}},
		{"W40 what programs of jq may read", filters("jq"), []string{`jq 'import "/etc/passwd" as $x; $x'`, `jq 'include "x"; .'`, `jq input_filename`, `jq env`,
			`jq '$ENV'`, `jq '{$ENV}'`, `jq '"\(env)"'`, `jq '.a | modulemeta'`, `jq '$__loc__'`, `jq 'getpath(["env"])'`, `jq . f`, `jq -f f`, `jq --args . f`, `jq -nL . .`}},
		{"W41 clusters hide flags", filters("tail", "sort", "grep", "head"), []string{`tail -Fn5`, `sort -zk1`, `grep -Pe x`, `head -xn5`, `sort -nok1`, `grep -zRe x`}},
		{"W68 a safe bin whose option takes the name of a file", filters("sort", "wc", "grep"), []string{`sort --files0-from=f`, `wc --files0-from=f`, `sort -T x`,
			`sort --compress-program=sh`, `grep -f x`, `grep --exclude-from=x -e y`, `sort --output=x`}},
	}
}

// inlineWeaknesses are about code on the command line.
func inlineWeaknesses() []weakness {
	return []weakness{
		{"Z4 an escaped substitution in the argument of a safe bin", nil, []string{`bash -c 'wc; tr "${x:=\$(id)}" "${x@P}"'`}},
		{"Z5 a flag of zsh that evaluates again, in the argument of a safe bin", nil, []string{`zsh -c 'wc; tr "${(e):-\$(id)}" b'`}},
		{"Z6 a function substitution in the argument of a safe bin", nil, []string{`ksh -c 'wc; tr a "${ id;}"'`, `tr a "${ id;}"`}},
		{"Z11 files through safe bins", nil, []string{`sh -c 'wc; head -n ${x:-1$IFS/etc/passwd}'`, `sh -c "wc; head -n 1 ''#x /etc/passwd"`}},
		{"W33 versioned names", strict("full"), []string{`python3.12 -c x`, `node20 -e x`, `pypy3.9 -c x`, `perl5.36 -e x`}},
		{"W34 attached, clustered and = forms", strict("full"), []string{`python3 -c'import os'`, `python3 -Bc x`, `node --eval=x`, `node -pe x`,
			`perl -we x`, `perl -ne x`, `ruby -ne x`, `php -rcode`, `lua -ecode`}},
		{"W35 forms that were not covered, with strict inline evaluation", strict("full"), []string{`deno eval x`, `bun -e x`, `python3 -m x`, `python3 -`,
			`echo x | python3`, `find . -fprintf f x`, `find . -fls f`, `Rscript -e x`, `julia -e x`, `tclsh x`, `node --import data:x -e x`, `bash -s`, `fish -c x`}},
		{"W35 forms that were not covered, of programs on the list", map[string]any{"ask": "off", "allowlist": []any{"/usr/bin/*"}}, []string{`find . -delete`,
			`find . -fprintf f x`, `git -c alias.x='!id' x`, `vim -c '!id'`, `emacs --eval x`, `sqlite3 db '.shell id'`, `psql -c '\! id'`, `Rscript -e x`, `julia -e x`,
			`tclsh x`, `gdb -ex 'shell id'`, `ssh -o ProxyCommand=id h`, `tar cf a --checkpoint-action=exec=id f`, `awk -f -`, `node -r ./x s.js`, `jq 'import "x" as $x; $x' f`}},
		{"W36 hidden inside shells", strict("allowlist", "python3", "ls"), []string{`sh -c 'python3 -c x; ls'`, `sh -c '$0 "$@"' python3 -c x`}},
		{"W37 avoided in full mode", strict("full"), []string{`ls; python3 -c x`, `python3 -c x > y`, `bash -c 'python3 -c x'`, `env A=1 python3 -c x`,
			`sudo python3 -c x`, `nice python3 -c x`, `frobnicate python3 -c x`, `echo $(python3 -c x)`, `if true; then python3 -c x; fi`}},
		{"W39 a carrier of xargs", strict("allowlist", "xargs", "sh"), []string{`sh -c '$0 "$@"' xargs sh -lc id`}},
	}
}

// filters are safe bins without an allowlist.
func filters(names ...string) map[string]any { return map[string]any{"safeBins": names} }

func TestWeaknessesOfSafeBinsAndInlineEvaluationAreClosed(t *testing.T) {
	t.Parallel()
	weaknesses := slices.Concat(safeBinWeaknesses(), inlineWeaknesses())
	agents, calls, names := map[string]any{}, []gavel.Call{}, []string{}
	for i, w := range weaknesses {
		for _, command := range w.commands {
			id := "w" + string(rune('a'+i))
			exec := execSettings(w.settings)
			agents[id] = map[string]any{"exec": exec}
			programs := map[string]string{}
			for _, word := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" '\"|;&=()\n", r) }) {
				programs[word] = path.Join("/usr/bin", path.Base(word))
				if path.IsAbs(word) {
					programs[word] = path.Clean(word)
				}
			}
			names = append(names, w.name)
			calls = append(calls, gavel.Call{Agent: gavel.Agent{ID: id},
				Tool:        gavel.Tool{Name: "exec", Params: map[string]any{"command": command}},
				Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Executables: programs}})
		}
	}
	pdp := loaded(t, map[string]any{"agents": agents})
	for i, call := range calls {
		t.Run(names[i], func(t *testing.T) {
			d := pdp.Decide(t.Context(), call, gavel.Options{})
			assert.NotEqual(t, gavel.Allow, d.Effect, "%s", call.Tool.Params["command"])
			for _, reason := range d.Reasons {
				assert.Equal(t, "exec", reason.Layer, "it is refused for what it runs: %+v", reason)
			}
		})
	}
}

// What the weaknesses stand beside still works: the same filters and interpreters,
// used as they are meant to be.
func TestHarmlessCommandsAreAllowed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings map[string]any
		command  string
	}{
		"safe bins inside a shell":              {filters("wc", "tr"), `sh -c 'wc -l; tr a b'`},
		"a program of jq":                       {filters("jq"), `jq -r '.items[] | select(.env == "x") | .name'`},
		"a script with strict inline":           {strict("allowlist", "python3"), `python3 s.py -c x`},
		"another program with strict inline":    {strict("full"), `ls -e x; git commit -m python3`},
		"versioned scripts with strict inline":  {strict("full"), `node20 server.js -p 8080`},
		"a list of a pipeline with strict mode": {strict("full"), `cat f | sort -u | head -5`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			programs := map[string]string{}
			for _, word := range []string{"sh", "wc", "tr", "jq", "python3", "ls", "git", "node20", "cat", "sort", "head"} {
				programs[word] = "/usr/bin/" + word
			}
			pdp := loaded(t, map[string]any{"agents": map[string]any{"main": map[string]any{"exec": execSettings(c.settings)}}})
			d := pdp.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"},
				Tool:        gavel.Tool{Name: "exec", Params: map[string]any{"command": c.command}},
				Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Executables: programs}}, gavel.Options{})
			assert.Equal(t, gavel.Allow, d.Effect, "%s: %+v", c.command, d.Reasons)
		})
	}
}
