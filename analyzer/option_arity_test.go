package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What an option takes was compared with the programs (make programs-check). Where the
// catalog gave a value to an option that takes none, the next word was hidden behind it.
func TestAnOptionWithoutAValueDoesNotHideTheNextOne(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for _, c := range []struct{ command, hidden string }{
		{"gh pr view --web --hostname evil", "network host evil"},
		{"git clone --remote-submodules --upload-pack=./evil u", "runs --upload-pack ./evil"},
		{"git log --ext-diff --output=f", "writes --output f"},
		{"git show --textconv --output=f", "writes --output f"},
		{"git shortlog -n --output=f", "writes --output f"},
		{"git log -n -- --output=f", "writes --output f"},
		{"docker compose down -v --project-directory=/x", "unknown --project-directory /x"},
		{"docker build --push --secret=id=a .", "loads --secret id=a"},
		{"kubectl get pods --insecure-skip-tls-verify --kubeconfig=./evil", "loads --kubeconfig ./evil"},
		{"cargo doc --open --config=evil", "runs --config evil"},
		{"cargo clippy --allow-dirty --manifest-path=/x", "loads --manifest-path /x"},
		{"go vet -fix -vettool=./evil", "runs -vettool ./evil"},
		{"go test -artifacts -exec=./evil", "runs -exec ./evil"},
		{"rsync --daemon --rsh=./evil a b", "runs --rsh ./evil"},
		{"npm ls -g --script-shell=./evil", "loads --script-shell ./evil"},
	} {
		assert.Contains(t, hazards(c.command), c.hidden, c.command)
	}
}

// A value in the next word is not an operand and no option.
func TestAValueInTheNextWordIsReadAsAValue(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for _, command := range []string{
		"git log --date iso", "git log -n --output=x", "git log --max-count --output=x", "git log --committer --output=x", "git log -S --output=x", "git log --diff-filter AM -G x", "gh pr list -a --web",
		"cargo build --color --config=x", "kubectl get pods --template --kubeconfig=x",
	} {
		assert.Empty(t, hazards(command), command)
	}
}

func TestPsShowsTheEnvironmentOfProcesses(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for _, command := range []string{"ps axe", "ps auxe", "ps -auxe", "ps eww 1", "ps -o pid,environ", "ps --format=environ", "ps -E"} {
		assert.NotEmpty(t, hazards(command), command)
	}
	for _, command := range []string{"ps aux", "ps -aux", "ps -ef", "ps -eo pid,etime,cmd --sort=-etime", "ps -p 1 -o comm=", "ps -C node", "ps axww", "ps"} {
		assert.Empty(t, hazards(command), command)
	}
}

func TestRegoToolsHaveADescription(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for _, c := range []struct{ command, want string }{
		{"opa eval 1", "inline eval"}, {"opa run -s", "runs run"}, {"opa fmt -w .", "writes -w"}, {"opa test /tmp/p", "loads PATH /tmp/p"},
		{"conftest pull host/p", "network pull"}, {"conftest test -p /tmp/p x", "loads policy /tmp/p"}, {"shellcheck --rcfile x a.sh", "loads --rcfile x"},
	} {
		assert.Contains(t, hazards(c.command), c.want, c.command)
	}
	assert.Equal(t, []string{"project test"}, hazards("opa test policies/ -v"))
	assert.Equal(t, []string{"project test"}, hazards("conftest test -p policy deploy/a.yaml"))
	assert.Empty(t, hazards("shellcheck scripts/a.sh"))
}
