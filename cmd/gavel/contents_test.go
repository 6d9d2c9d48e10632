package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// An answer covers what the files hold that a command names as code, and a permanent answer
// covers what was judged, and no more.

const (
	asksLocal = "tools: {exec: {host: gateway, constructs: {redirect: paths}}, read: {allow: ['/**']}}\nagents: {main: {}}\n"
	tools     = "node deno bun tsx ts-node npx yarn pnpm make gmake npm python3 Rscript awk sed ruby perl lua php tclsh cargo go pytest gradle mvn just task rake tox nox " +
		"bash sh cat uv ant ninja invoke docker java expect jq psql gdb ansible-playbook swift cmake pre-commit jest composer deploytool"
)

// workshop is a directory of code, and programs that do nothing.
type workshop struct {
	*flow
	dir, bin string
}

func newWorkshop(t *testing.T, config string) *workshop {
	t.Helper()
	w := &workshop{flow: newFlow(t, config), dir: t.TempDir(), bin: t.TempDir()}
	return w.furnished(t)
}

// another is a workshop by the same policy, with people and a list of its own.
func (w *workshop) another(t *testing.T) *workshop {
	t.Helper()
	pdp := &gavel.PDP{Analyzer: w.Analyzer, Policy: w.Policy, NewID: w.NewID, Now: w.Now, Timeout: w.Timeout}
	other := &workshop{flow: peopled(t, pdp), dir: t.TempDir(), bin: t.TempDir()}
	return other.furnished(t)
}

func (w *workshop) furnished(t *testing.T) *workshop {
	t.Helper()
	for _, name := range strings.Fields(tools) {
		require.NoError(t, os.WriteFile(filepath.Join(w.bin, name), []byte("\x7fELF\x00 "+name), 0o755))
	}
	return w
}

func (w *workshop) write(t *testing.T, name, content string) {
	t.Helper()
	full := filepath.Join(w.dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
	require.NoError(t, os.WriteFile(full, []byte(content), 0o755))
}

func (w *workshop) decide(t *testing.T, command string) gavel.Decision {
	t.Helper()
	return w.run(t, command, func(c *gavel.Call) {
		c.Environment = &gavel.Environment{Cwd: w.dir, Home: filepath.Join(w.dir, "home"), Path: []string{w.bin, "/usr/bin", "/bin"}, Platform: "linux"}
	})
}

// RT-07, R41: after an answer a file of code is rewritten, and the command asks again.
func TestContentsAreBound(t *testing.T) {
	t.Parallel()
	base := newWorkshop(t, asksLocal)
	for _, c := range []struct{ command, file string }{
		{"./run.sh", "run.sh"}, // without #!
		{"bash --rcfile x ./run.sh", "run.sh"},
		{"bash --rcfile x ./run.sh", "x"},
		{"bash --init-file=x ./run.sh", "x"},
		{"bash -l s.sh", "s.sh"},
		{"bash -eu s.sh", "s.sh"},
		{"timeout 5 ./run.sh", "run.sh"},
		{"cat run.sh | bash", "run.sh"},
		{"cat run.sh | bash -s -- a", "run.sh"},
		{"cat run.sh | bash -s x", "run.sh"},
		{"cat x.py | python3", "x.py"},
		{"cat x.py | python3 -", "x.py"},
		{"bash < run.sh", "run.sh"},
		{"python3 < x.py", "x.py"},
		{"node < main.mjs", "main.mjs"},
		{"node --import=./p.mjs main.mjs", "p.mjs"},
		{"node --import ./p.mjs main.mjs", "p.mjs"},
		{"node --import=./p.mjs main.mjs", "main.mjs"},
		{"node -r ./y.js main.mjs", "y.js"},
		{"node -r ./y main.mjs", "y.js"},
		{"node --require=./y main.mjs", "y.js"},
		{"node --loader ./p.mjs main.mjs", "p.mjs"},
		{"node --experimental-loader=./p.mjs main.mjs", "p.mjs"},
		{"node --env-file=x main.mjs", "x"},
		{"node dir", "dir/index.js"},
		{"deno run -A main.ts", "main.ts"},
		{"deno run --allow-read --config=deno.json main.ts", "deno.json"},
		{"deno run --import-map x main.ts", "x"},
		{"deno main.ts", "main.ts"},
		{"deno task build", "deno.json"},
		{"bun run main.ts", "main.ts"},
		{"bun run dev", "package.json"},
		{"bun --preload ./p.mjs main.ts", "p.mjs"},
		{"bun main.ts", "main.ts"},
		{"bun run tsx main.ts", "main.ts"},
		{"tsx main.ts", "main.ts"},
		{"tsx watch main.ts", "main.ts"},
		{"tsx --tsconfig x main.ts", "x"},
		{"ts-node main.ts", "main.ts"},
		{"ts-node -r ./y main.ts", "y.js"},
		{"npx tsx main.ts", "main.ts"},
		{"yarn dlx tsx main.ts", "main.ts"},
		{"yarn exec tsx main.ts", "main.ts"},
		{"yarn tsx main.ts", "main.ts"},
		{"yarn run tsx main.ts", "main.ts"},
		{"yarn run -s tsx main.ts", "main.ts"},
		{"npm test tests/test_a.py", "tests/test_a.py"},
		{"pnpm tsx main.ts", "main.ts"},
		{"pnpm run tsx main.ts", "main.ts"},
		{"pnpm exec tsx main.ts", "main.ts"},
		{"pnpm dlx tsx main.ts", "main.ts"},
		{"make", "Makefile"},
		{"make test", "Makefile"},
		{"make -C sub test", "sub/makefile"},
		{"make -Csub test", "sub/makefile"},
		{"make --directory=sub", "sub/makefile"},
		{"make -f x", "x"},
		{"make -f makefile -C sub", "sub/makefile"},
		{"just -d sub -f x build", "x"},
		{"make -fx", "x"},
		{"make --makefile=x", "x"},
		{"npm run build", "package.json"},
		{"npm test", "package.json"},
		{"npm --prefix sub test", "sub/package.json"},
		{"npm run -s build", "package.json"},
		{"yarn build", "package.json"},
		{"pnpm test", "package.json"},
		{"python3 -m mod", "mod.py"},
		{"python3 -m pkg", "pkg/__main__.py"},
		{"python3 -m pkg.sub", "pkg/sub.py"},
		{"python3 -mmod", "mod.py"},
		{"python3 x.py", "x.py"},
		{"python3 -W ignore x.py a", "x.py"},
		{"Rscript x.R", "x.R"},
		{"awk -f x.awk data", "x.awk"},
		{"awk -fx.awk data", "x.awk"},
		{"sed -n -f x.sed data", "x.sed"},
		{"sed --file=x.sed data", "x.sed"},
		{"ruby -r ./x x.rb", "x.rb"},
		{"ruby -r./lib main.rb", "lib.rb"},
		{"perl -I. -MFoo x.pl", "Foo.pm"},
		{"perl -I . -MFoo=bar x.pl", "Foo.pm"},
		{"perl -MFoo -I. x.pl", "Foo.pm"},
		{"ruby -rlib -I. main.rb", "lib.rb"},
		{"perl x.pl", "x.pl"},
		{"lua x.lua", "x.lua"},
		{"lua -l lib x.lua", "lib.lua"},
		{"php -f x.php", "x.php"},
		{"php x.php", "x.php"},
		{"tclsh x.tcl", "x.tcl"},
		{"cargo build", "Cargo.toml"},
		{"cargo build", "build.rs"},
		{"cargo test", "build.rs"},
		{"go run ./cmdx", "cmdx/main.go"},
		{"go run ./cmdx", "cmdx/other.go"},
		{"go run .", "here.go"},
		{"go run cmdx/main.go", "cmdx/main.go"},
		{"go test ./...", "go.mod"},
		{"pytest", "conftest.py"},
		{"pytest tests/test_a.py", "tests/test_a.py"},
		{"gradle build", "build.gradle"},
		{"mvn test", "pom.xml"},
		{"just build", "justfile"},
		{"task build", "Taskfile.yml"},
		{"rake build", "Rakefile"},
		{"tox", "tox.ini"},
		{"nox", "noxfile.py"},
		{"ant", "build.xml"},
		{"ninja", "build.ninja"},
		{"invoke build", "tasks.py"},
		{"docker compose up", "compose.yaml"},
		{"docker build -f Dockerfile sub", "Dockerfile"},
		{"java -jar x.jar", "x.jar"},
		{"expect -f x", "x"},
		{"jq -f x data", "x"},
		{"psql -f x", "x"},
		{"gdb -x x ./run.sh", "x"},
		{"ansible-playbook site.yml", "site.yml"},
		{"pre-commit run", ".pre-commit-config.yaml"},
		{"deploytool --plan=x", "x"},
		{"deploytool apply site.yml", "site.yml"},
		{"find . -exec sh run.sh {} +", "run.sh"},
		{"FOO=1 make test", "Makefile"},
		{"cd sub && make test", "sub/makefile"},
		{"cd sub && npm test", "sub/package.json"},
		{"sh -c 'python3 x.py'", "x.py"},
		{"sh -c './run.sh'", "run.sh"},
		{"env python3 x.py", "x.py"},
	} {
		t.Run(c.command+" with another "+c.file, func(t *testing.T) {
			t.Parallel()
			w := base.another(t)
			for _, name := range []string{"run.sh", "s.sh", "x", "x.py", "y.js", "main.mjs", "p.mjs", "dir/index.js", "main.ts", "deno.json", "package.json", "Makefile", "sub/makefile",
				"sub/package.json", "mod.py", "pkg/__main__.py", "pkg/__init__.py", "pkg/sub.py", "x.R", "x.awk", "x.sed", "x.rb", "main.rb", "lib.rb", "Foo.pm", "x.pl", "x.lua",
				"lib.lua", "x.php", "x.tcl", "Cargo.toml", "build.rs", "cmdx/main.go", "cmdx/other.go", "here.go", "go.mod", "conftest.py", "tests/test_a.py", "build.gradle", "pom.xml", "justfile",
				"Taskfile.yml", "Rakefile", "tox.ini", "noxfile.py", "build.xml", "build.ninja", "tasks.py", "compose.yaml", "Dockerfile", "x.jar", "site.yml", ".pre-commit-config.yaml", "data"} {
				w.write(t, name, "harmless\n")
			}
			first := w.decide(t, c.command)
			w.answer(t, first, "allow-once")
			w.write(t, c.file, "something else\n") // in place: the same inode
			changed := w.decide(t, c.command)
			require.Equal(t, gavel.Ask, changed.Effect, "other content is another call")
			assert.NotEqual(t, first.Approval.ID, changed.Approval.ID)
			w.write(t, c.file, "harmless\n")
			assert.Equal(t, gavel.Allow, w.decide(t, c.command).Effect, "what was approved may run: %v", w.decide(t, c.command).Reasons)
		})
	}
}
