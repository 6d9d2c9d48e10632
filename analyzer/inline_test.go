package analyzer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// checkInline compares which commands have inline code, as a hazard of any kind (R25, W33 to W35).
func checkInline(t *testing.T, cases map[string]bool) {
	t.Helper()
	for command, want := range cases {
		exec := observe(t, claims("bash", strings.Fields(command)[0]), strings.ReplaceAll(command, " ;", ` \;`))
		require.True(t, exec.Parsed, "%s", command)
		var kinds []string
		for _, s := range exec.Segments {
			for _, h := range s.Hazards {
				kinds = append(kinds, h.Kind)
			}
		}
		found := slices.ContainsFunc(kinds, func(kind string) bool {
			return kind == "inline" || kind == "program" || kind == "code" || kind == "carried"
		})
		assert.Equal(t, want, found, "%s: %v", command, kinds)
	}
}

func TestInlineCodeOfScriptInterpretersIsFound(t *testing.T) {
	t.Parallel()
	checkInline(t, map[string]bool{
		`python3 -c x`:           true,
		`python3.12 -c x`:        true,
		`pypy3.9 -c x`:           true,
		`python3 -c'import os'`:  true,
		`python3 -Bc x`:          true,
		`python3 -`:              true,
		`perl /dev/stdin`:        true,
		`python3`:                true,
		`python3 s.py -c x`:      false,
		`python3 --version`:      false,
		`node -e x`:              true,
		`node20 -e x`:            true,
		`node --eval=x`:          true,
		`node --eval x`:          true,
		`node -pe x`:             true,
		`node -p x`:              true,
		`node --print=x`:         true,
		`node server.js -p 8080`: false,
		`bun -e x`:               true,
		`deno eval x`:            true,
		`deno repl`:              true,
		`deno fmt`:               false,
		`perl -we x`:             true,
		`perl -ne x`:             true,
		`perl -E x`:              true,
		`perl5.36 -e x`:          true,
		`perl s.pl -e x`:         false,
		`ruby -ne x`:             true,
		`ruby -E UTF-8 s.rb`:     false,
		`php -rcode`:             true,
		`php -r x`:               true,
		`lua -ecode`:             true,
		`lua5.4 -e x`:            true,
		`lua -E s.lua`:           false,
		`node -r ./p.js s.js`:    true,
		`node --import data:text/javascript,x s.js`: true,
		`node --require=./p.js s.js`:                true,
	})
}

func TestInlineCodeOfShellsAndOtherInterpretersIsFound(t *testing.T) {
	t.Parallel()
	checkInline(t, map[string]bool{
		`bash -s x`:              true,
		`osascript -e x`:         true,
		`osascript s.scpt`:       false,
		`Rscript -e x`:           true,
		`julia -e x`:             true,
		`elixir -e x`:            true,
		`tclsh x`:                true,
		`vim -c :q f`:            true,
		`vim +:q f`:              true,
		`nvim --cmd x`:           true,
		`emacs --eval x`:         true,
		`emacs -batch -f x`:      true,
		`gdb -ex run a.out`:      true,
		`gdb --eval-command=x a`: true,
		`lldb -o run a`:          true,
		`psql -c '\!'`:           true,
		`psql -c select`:         false,
		`sqlite3 x.db .shell`:    true,
		`sqlite3 x.db select`:    false,
		`mysql -e '\!'`:          true,
		`mysql -e select`:        false,
		`mongo --eval x`:         true,
		`mongosh --eval=x`:       true,
		`redis-cli eval x 0`:     true,
		`redis-cli get x`:        false,
		`duckdb -c x`:            true,
		`octave --eval x`:        true,
		`R -e x`:                 true,
		`ghci -e x`:              true,
		`groovy -e x`:            true,
		`erl -eval x`:            true,
		`zsh -c id`:              true,
		`fish --command=id`:      true,
		`pwsh -Command id`:       true,
		`bash --rcfile x -c id`:  true,
	})
}

func TestInlineCodeInArgumentsOfOtherProgramsIsFound(t *testing.T) {
	t.Parallel()
	checkInline(t, map[string]bool{
		`awk '{print}'`:                true,
		`gawk -F , '{print}' f`:        true,
		`gawk -f lib.awk --source=X f`: true,
		`gawk -e X`:                    true,
		`awk -f s.awk d`:               false,
		`awk --version`:                false,
		`sed s/a/b/ f`:                 true,
		`sed -es/x/y/ f`:               true,
		`sed -n p`:                     true,
		`sed -i -f s.sed f`:            false,
		`sed --file=x f`:               false,
		`find . -exec id {} ;`:         true,
		`find -- . -okdir id ;`:        true,
		`find . -name x`:               false,
		`fd x -x rm`:                   true,
		`make -EX`:                     true,
		`make --eval=X`:                true,
		`make -f x.mk`:                 true,
		`make -e x`:                    false,
		`make test`:                    false,
		`ls -e x`:                      false,
		`find . -delete`:               true,
		`find . -name x -delete`:       true,
		`tar --checkpoint-action=exec=id -cf a b`: true,
		`tar -tf a.tar`:                     false,
		`tar -I ./x -cf a b`:                true,
		`awk -f -`:                          true,
		`sed -f - x`:                        true,
		`make -f - all`:                     true,
		`git -c core.pager=x log`:           true,
		`git --config-env=core.pager=X log`: true,
		`git log`:                           false,
		`git rebase -x id main`:             true,
		`ssh host id`:                       true,
		`ssh -o ProxyCommand=x host`:        true,
		`rsync -e ./x a b`:                  true,
		`cmake -P x`:                        true,
		`m4 -Dx=y`:                          true,
		`dc -e x`:                           true,
		`parallel id ::: a`:                 true,
		`just -c id`:                        true,
		`docker run img sh -c id`:           true,
		`watchexec sh -c id`:                true,
		`sudo python3 -c x`:                 true,
		`frobnicate -q python3.12 -c x`:     true,
		`frobnicate env A=1 node --eval=x`:  true,
		`frobnicate sudo sh -c id`:          true,
		`frobnicate python3 s.py`:           false,
		`sudo ls -l`:                        false,
	})
}
