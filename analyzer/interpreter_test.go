package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// quotedWord is a text in single quotes.
func quotedWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func TestPerlPrograms(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for _, text := range []string{
		`s/\s+$/\n/`, `s/a/b/`, `s/a/b/g`, `s/a/b/gims`, `s|/usr|/opt|`, `s#a#b#`, `s,a,b,`, `s!a!b!`,
		` s/a/b/ ; s/c/d/; `, "s/a/b/;\ns/c/d/\n", `tr/a-z/A-Z/`, `y/a/b/cd; tr/\n//d`,
		`s/^(\d{1,3})(?:x|y$)(?=z)(?!w)(?<=a)(?<!b)$/1-2/`, `s/a$|b$/c/`, `s/\$x\@y/\$z\@/`, `s/[^a-z"'{1}]+?/"'/`,
		`s//x/`, `s/a\/b/c\/d/`, `s/%x&y/%z&\&/`, `s/a/system("id")/`, "s/`id`/`id`/",
	} {
		assert.Empty(t, hazards("perl -pe "+quotedWord(text)), text)
	}
	for _, text := range []string{
		``, ` `, `;`, `print 1`, `1`, `system("id")`, `s/a/b/e`, `s/a/b/ge`, `s/a/b/ee`, `s/a/b/x`, `s/a/b/r`, `s/a/b/w`,
		`s/a/$x/`, `s/a/$1/`, `s/(a)/\1/`, `s/a/\1{system("id")}/`, `s/a/\1[system("id")]/`, `s/a/\12/`, `s/a/\_/`, `s/a/$1[system("id")]/`, `s/a/${\ system("id")}/`, `s/a/@{[system("id")]}/`, `s/a/@x/`, `s/a/\\$x/`,
		`s/$x/b/`, `s/${\ system("id")}/b/`, `s/@{[system("id")]}/b/`, `s/a$x[1]/b/`, `s/$(/b/`, `s/$\n/b/`, `s/$ /b/`,
		`s/(?{system("id")})/b/`, `s/(??{system("id")})/b/`, `s/(*{system("id")})/b/`, `s/(*FAIL)a/b/`, `s/(?i)a/b/`, `s/(?<n>a)/b/`, `s/(?#x)a/b/`,
		`s/(?p{system("id")})/b/`, `s/a{system("id")}/b/`, `s/a{/b/`, `s/\p{IsX}/b/`, `s/\P{IsX}/b/`, `s/\N{X}/b/`, `s/\x{41}/b/`, `s/\Qa/b/`,
		`s/a/\x{41}/`, `s/a/\N{X}/`, `s/a/\Ub/`, `s/a/\c[/`,
		`s/a/b/;print 1`, `s/a/b/ and print 1`, `s/a/b/;;x`, "s/a/b/\nprint 1", "s/a/b/\ns/c/d/", `s/a/b/ if 1`, `s/a/b/,1`, `s/a/b/ # c`,
		`s{a}{b}`, `s{a}{system("id")}e`, `s'a'b'`, `s(a)(b)`, `s[a][b]`, `s<a><b>`, `s?a?b?`, `s"a"b"`, "s`a`b`", `s;a;b;`, `s:a:b:`, `s::a::b`, `s=a=b=`,
		`s@a@b@`, `s$a$b$`, `s\a\b\`, `s /a/b/`, "s\n/a/b/", `sxaxbx`, `s_a_b_`, `s1a1b1`,
		`s/a/b`, `s/a`, `s`, `s/`, `s/a/b\`, `s/a\`, `tr/a/$x/`, `tr/a/b/r`, `tr/a/b/e`, `try/a/b/`, `y/a/b`, `qx/id/`, `m/a/`, `/a/`, `{s/a/b/}`, `}s/a/b/;{`,
		"s/a/b/\n__END__", "s/\xc3\xa9/b/", "s/a\nb/c/", "s/a/b\nc/", "s/a/\tb/", "=pod", "#!x",
	} {
		assert.NotEmpty(t, hazards("perl -pe "+quotedWord(text)), text)
	}
}

// TestPerlOptions: a program that does nothing is not all that there is to a command.
func TestPerlOptions(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for command, want := range map[string]string{
		`perl -e 's/a/b/'`:                   "",
		`perl -pe 's/a/b/' f d/f.txt - ./-x`: "",
		`perl -lne 's/a/b/' f`:               "",
		`perl -wpes/a/b/ f`:                  "",
		`perl -0777 -l012 -pe 's/a/b/' f`:    "",
		`perl5.36 -00pe 's/a/b/' f`:          "",
		`perl -p -e 's/a/b/;' -e 's/c/d/' f`: "",
		`perl -pe 's/a/b/' -- f`:             "",
		`perl -pe 's/a/b/' 'id|'`:            "runs FILE id|",
		`perl -pe 's/a/b/' '|id'`:            "runs FILE |id",
		`perl -ne 's/a/b/' '>f'`:             "runs FILE >f",
		`perl -pe 's/a/b/' ' f'`:             "runs FILE  f",
		`perl -ae 's/a/b/' '<&3'`:            "runs FILE <&3",
		`perl -pe 's/a/b/' '+<f'`:            "runs FILE +<f",
		`perl -pe 's/a/b/' +f`:               "runs FILE +f",
		`perl -pe 's/a/b/' -- -x`:            "runs FILE -x",
		`perl -pe 's/a/b/' *.txt`:            "inline dynamic *.txt",
		`perl -pe 's/a/b/' "$x"`:             `inline dynamic "$x"`,
		`perl -pe 's/a/b/' x.$$`:             "runs FILE x.$$",
		`perl -pe "s/a/$x/" f`:               "inline -e -pe",
		`perl -pe 's/a/b/' /etc/passwd`:      "reads closed /etc/passwd",
		`perl -pie 's/a/b/' f`:               "writes -i e",
		`perl -pi -e 's/a/b/' f`:             "writes -i",
		`perl -Mx -e 's/a/b/'`:               "loads -M x",
		`perl -I. -e 's/a/b/'`:               "loads -I .",
		`perl -x -e 's/a/b/'`:                "loads -x",
		`perl -d -e 's/a/b/'`:                "loads -d",
		`perl -s -e 's/a/b/'`:                "unknown -s",
		`perl -CS -e 's/a/b/'`:               "unknown -C",
		`perl -F/x/ -e 's/a/b/'`:             "loads -x /",
		`perl -u -e 's/a/b/'`:                "unknown -u",
		`perl '-w -Mx' -e 's/a/b/'`:          "loads -M x",
		`perl -E 's/a/b/'`:                   "inline -E s/a/b/",
		`perl -e 's/a/b/' -le 'print 1'`:     "inline -e print 1",
		`perl -e 's/a/b/' -0e 'print 1'`:     "inline -e print 1",
		`perl -e 's/a/b/' -Ve 'print 1'`:     "unknown -V e",
		`perl -V:osname`:                     "",
		`perl s.pl`:                          "runs SCRIPT s.pl",
		`perl -`:                             "inline stdin -",
		`perl -p`:                            "inline stdin",
		`ruby -e 's/a/b/'`:                   "inline -e s/a/b/",
		`perl6 -e 's/a/b/'`:                  "runs perl6",
	} {
		list := hazards(command)
		if want == "" {
			assert.Empty(t, list, command)
		} else if assert.NotEmpty(t, list, command) {
			assert.Equal(t, want, list[0], command)
		}
	}
}

func TestPythonPrograms(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for _, text := range []string{
		`import sys; print(sys.version)`, "import sys\nprint(sys.version)\n", `print()`, `print(1)`, `print('x', "y", 3)`,
		`import sys;print( sys.version_info , sys.platform );`, `import sys; print(sys.version_info[:2], sys.version_info[0:2], sys.version_info.major)`,
		`import sys; print(sys.version.split()[0], sys.implementation.name, sys.path[1], sys.path)`, `print('a;b()#c')`, `print("it's")`, `print(1,)`,
		`import sys; sys.exit(1)`, `print(sep='x')`, `print(-1)`, `print(b'x')`, `print('a\n')`, `print('a''b')`, `print('')`, `print('a'%1)`, `print(1.5)`,
		`print(1if 1else 2)`, `print(1)[0]`, `print(1) # c`, ` print(1)`, "import sys\n print(1)", "print(\n1)", `if 1: print(1)`, `print((1))`, `print([1])`, `print({})`,
	} {
		assert.Empty(t, hazards("python3 -I -c "+quotedWord(text)), text)
		assert.NotEmpty(t, hazards("python3 -c "+quotedWord(text)), "without -I: %s", text)
	}
	for _, text := range []string{
		``, "\n", `#x`, `import sys; import os`, `import  os`, `from sys import path`, `import sys as x`, `import sys, os`, `import json`, `import sys`, `print(sys)`, "print(1)\nx", `import sys; x`, `print(1) and x`, `print(1) if x else y`, `print(f'{x}')`, `x`, ` `, `import sys.x`, `import sysx`,
		`import sys; sys.path.insert(0, '.')`, `print(sys.stdin.read())`, `print(sys.modules)`, `print(sys.stdout)`,
		`print(open('f').read())`, `print(__import__('os'))`, `print(eval('1'))`, `print(1, file=f)`, `print(*sys.argv)`,
		`print(sys.version.x)`, `print(sys.version())`, `print(sys.version_info.x)`, `print(sys.version_info.majors)`, `print(sys.version.split(x)[0])`, `print(sys.version.split())`,
		`print(sys.implementation)`, `print(sys.argv)`, `print(sys.argv[1])`, `print(sys.path[x])`, `print(sys.path[-1])`, `print(sys.path[])`, `print(sys.path[1:])`, `print(sys.path[0][0])`, `print(sys.platform[0])`,
		`print('''a''')`, `print('a'b)`, `print('a)`, `print("a')`, `print('a'.x)`,
		`print(1 2)`, `print(,)`, `print(1,,2)`, `print(1`, `print 1`, `print`, `print(1))`, `print(1)print(2)`, `print(1) print(2)`,
		`print(1).x`, `print=x`, `print(1);;print(2)`,
		"print(1)\tx", "print('\xc3\xa9')", "# -*- coding: x -*-\nprint(1)",
		`print(0000000000000001)`, `print(sys.)`, `print(os.x)`, `exec('x')`, `print(sys.path_hooks)`, `print(sys.executablex)`,
	} {
		assert.NotEmpty(t, hazards("python3 -I -c "+quotedWord(text)), text)
	}
}

func TestPythonOptions(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for command, want := range map[string]string{
		`python3 -I -c 'print(1)'`:                     "",
		`python3 -Ic 'print(1)' x y`:                   "",
		`python3.12 -BEsSuqI -c 'print(1)'`:            "",
		`python3 -I -X importtime -c 'print(1)'`:       "",
		`python3 -I -c 'print(1)' -x --y -m evil`:      "",
		`python3 -c 'print(1)'`:                        "loads -c print(1)",
		`python3 -c 'print(1)' -I`:                     "loads -c print(1)",
		`python3 -cI 'print(1)'`:                       "inline -c I",
		`python3 -P -c 'print(1)'`:                     "loads -c print(1)",
		`python3 -E -s -c 'print(1)'`:                  "loads -c print(1)",
		`python3 -I -i -c 'print(1)'`:                  "inline -i",
		`python3 -I -c "print($x)"`:                    "inline -c -c",
		`python3 -I -W a.b -c 'print(1)'`:              "loads -W a.b",
		`python3 -I -X pycache_prefix=x -c 'print(1)'`: "loads -X pycache_prefix=x",
		`python3 -I --frob -c 'print(1)'`:              "unknown --frob",
		`python3 -I -c 'print(1)' /etc/passwd`:         "reads closed /etc/passwd",
		`python3 -I x.py -c 'print(1)'`:                "runs SCRIPT x.py",
		`python3 -I`:                                   "inline stdin",
		`pypy3 -I -c 'print(1)'`:                       "inline -c print(1)",
		`ipython -I -c 'print(1)'`:                     "inline -c print(1)",
		`pypy3 -m pytest`:                              "project -m pytest",
	} {
		list := hazards(command)
		if want == "" {
			assert.Empty(t, list, command)
		} else if assert.NotEmpty(t, list, command) {
			assert.Equal(t, want, list[0], command)
		}
	}
}

func TestNodePrograms(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for _, text := range []string{
		`console.log(1)`, `console.log()`, `console.log('x', "y", 3);`, `console.log(1 + 1.5 * 2 - 3)`, `console.log("it's")`, `console.log('a' + 1)`,
		`console.log(process.version); console.log(process.versions.v, process.platform, process.arch, process.execPath, process.cwd())`,
		`process.version`, `process.versions`, ` console.log( 1 , 2 ) ; `, `console.log(1,)`, `console.log('')`,
	} {
		assert.Empty(t, hazards("node -e "+quotedWord(text)), text)
		assert.Empty(t, hazards("node --eval="+quotedWord(text)), text)
		assert.Empty(t, hazards("node -p "+quotedWord(text)), text)
		assert.Empty(t, hazards("node -pe "+quotedWord(text)), text)
	}
	for _, text := range []string{
		``, ` `, `x`, `1`, `1+1`, `"a"`, `process.version+1`, `console`, `console.log`, `console.log(1`, `console.log(1))`, `console.log(1)(2)`, `console.log(1).x`, `console.log(x)`, `console.log(,)`, `console.log(1,,2)`,
		`console.error(1)`, `console.log(process.env)`, `process.env.TOKEN`, `process.argv`, `process.exit(1)`, `process.mainModule`, `process.version.constructor`, `process.versions.v.x`,
		`process["env"]`, `process.versions["constructor"]`, `process.cwd`, `process.cwd().constructor`, `process.versionx`, `process.`, `process.versions.`, `process.binding('fs')`,
		`require('fs')`, `import('fs')`, `eval('1')`, "console.log(`1`)", `console.log('\x41')`, `console.log('a)`, "console.log('a\n')", `console.log('a'/1)`, `1//2`, `1/*2*/`, `/x/`,
		`1++`, `1--1`, `1 - -1`, `1+`, `+1`, `-1`, `1 2`, `1.`, `.5`, `1n`, `1e5`, `0x1`, `1,2`, `(1)`, `[1]`, `{}`, `1;;2`, `;`, "1\n2", "1\t", `console.log(1) console.log(2)`,
		`console.log(...x)`, `console.log(a=1)`, `'a'.constructor`, `1..constructor`, `"use strict"; x`, `1+process.env`, "'\xc3\xa9'", `1?2:3`, `1&&x`, `1<!--x`, `#!x`, `0000000000000001`,
	} {
		assert.NotEmpty(t, hazards("node -e "+quotedWord(text)), text)
	}
	for command, want := range map[string]string{
		`node -e 'console.log(1)' -e x`:                 "inline -e x",
		`node -p`:                                       "inline -e",
		`node -e`:                                       "inline -e",
		`node -p -e x`:                                  "inline -e -e",
		`node -e "console.log($x)"`:                     "inline -e -e",
		`node -e 'console.log(1)' -r ./x`:               "loads -r ./x",
		`node -e 'console.log(1)' --import=./x`:         "loads --import ./x",
		`node -i -e 'console.log(1)'`:                   "runs -i",
		`node -e 'console.log(1)' --frob`:               "unknown --frob",
		`node -e 'console.log(1)' x.js`:                 "",
		`node x.js -e 1`:                                "runs SCRIPT x.js",
		`node --input-type module -p 'process.version'`: "",
	} {
		list := hazards(command)
		if want == "" {
			assert.Empty(t, list, command)
		} else if assert.NotEmpty(t, list, command) {
			assert.Equal(t, want, list[0], command)
		}
	}
}
