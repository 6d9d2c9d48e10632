package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Sub-commands that are used every day, with what each of them does besides what its words name. None of
// them is harmless by itself.
func TestEverydaySubCommandsSayWhatTheyDo(t *testing.T) {
	t.Parallel()
	hazards := hazardsBy(t)
	for command, want := range map[string]string{
		"go get -u example.com/x@latest":                       "network get",
		"go get -toolexec ./evil example.com/x":                "network get; runs -toolexec ./evil",
		"go get -frob x":                                       "network get; unknown -frob",
		"go install example.com/x@latest":                      "runs install",
		"go generate ./...":                                    "runs generate",
		"go clean -testcache":                                  "writes clean",
		"go work use ./a":                                      "writes work use",
		"go work vendor":                                       "writes work vendor",
		"cargo add serde --features derive":                    "network add",
		"cargo add x --path ../x":                              "network add; reads --path ../x",
		"cargo install ripgrep":                                "runs install",
		"cargo publish --token x":                              "network publish; secrets --token x",
		"git submodule update --init --recursive":              "runs submodule update",
		"git submodule foreach make":                           "runs submodule foreach",
		"git submodule init":                                   "writes submodule init",
		"pip uninstall -y x":                                   "writes uninstall",
		"pip download x":                                       "runs download",
		"pip download -d out x":                                "runs download; writes -d out",
		"uv add httpx --dev":                                   "runs add",
		"uv venv --python ./evil":                              "runs venv; runs --python ./evil",
		"uv python find":                                       "runs python find",
		"uv pip install -e .":                                  "runs pip install; loads -e .",
		"poetry add httpx":                                     "runs add",
		"poetry env info":                                      "runs env info",
		"yarn add react -D":                                    "runs add",
		"yarn workspaces foreach x":                            "runs workspaces foreach",
		"gh repo clone o/r":                                    "network repo clone",
		"gh repo delete o/r":                                   "network repo delete",
		"helm upgrade -i x ./chart":                            "network upgrade",
		"helm upgrade x ./chart --post-renderer ./evil":        "network upgrade; runs --post-renderer ./evil",
		"terraform apply -auto-approve":                        "runs apply",
		"terraform state show x":                               "secrets state show",
		"docker run --rm alpine ls":                            "runs run",
		"docker run -v src:/host alpine ls":                    "runs run; writes -v src:/host",
		"docker run --privileged alpine ls":                    "runs run; unknown --privileged",
		"docker pull alpine":                                   "network pull",
		"kubectl exec pod -- ls":                               "runs exec",
		"kubectl rollout undo deploy/x":                        "writes rollout undo",
		"kubectl port-forward --address 0.0.0.0 svc/x 8080:80": "network port-forward; network --address 0.0.0.0",
	} {
		found := hazards(command)
		assert.ElementsMatch(t, strings.Split(want, "; "), found, command)
	}
}
