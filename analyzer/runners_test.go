package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tool is the project's own, and the nearest one (R24).
func TestPackageRunnersRunTheToolOfTheProject(t *testing.T) {
	t.Parallel()
	environment := claims("bash", strings.Fields("npx npm pnpm yarn bunx bun nice jq bash")...)
	environment.Executables["/srv/node_modules/.bin/tsc"] = "/srv/node_modules/typescript/bin/tsc"
	environment.Executables["/srv/app/node_modules/.bin/eslint"] = "/srv/app/node_modules/eslint/bin/eslint.js"
	environment.Executables["/srv/node_modules/.bin/eslint"] = "/srv/node_modules/eslint/bin/eslint.js"
	environment.Executables["/srv/app/node_modules/.bin/bash"] = "/srv/app/node_modules/.bin/bash"
	for command, want := range map[string]string{
		"npx tsc --noEmit":            "npx > /srv/node_modules/typescript/bin/tsc --noEmit",
		"npx --no -- eslint .":        "npx --no -- > /srv/app/node_modules/eslint/bin/eslint.js .",
		"npm exec -- tsc --noEmit":    "npm exec -- > /srv/node_modules/typescript/bin/tsc --noEmit",
		"npm --silent x -- eslint .":  "npm --silent x -- > /srv/app/node_modules/eslint/bin/eslint.js .",
		"pnpm exec eslint -f unix":    "pnpm exec > /srv/app/node_modules/eslint/bin/eslint.js -f unix",
		"yarn exec tsc":               "yarn exec > /srv/node_modules/typescript/bin/tsc",
		"bunx tsc":                    "bunx > /srv/node_modules/typescript/bin/tsc",
		"bun x tsc":                   "bun x > /srv/node_modules/typescript/bin/tsc",
		"nice npx jq .":               "nice > npx > /usr/bin/jq .",
		"npx bash -c jq":              "npx > bash -c > /usr/bin/jq",
		"npx -y tsc":                  "/usr/bin/npx -y tsc",
		"npx -p typescript tsc":       "/usr/bin/npx -p typescript tsc",
		"npx -c 'tsc'":                "/usr/bin/npx -c tsc",
		"npx tsc@5":                   "/usr/bin/npx tsc@5",
		"npx @scope/tsc":              "/usr/bin/npx @scope/tsc",
		"npx ./tsc":                   "/usr/bin/npx ./tsc",
		"npx ..":                      "/usr/bin/npx ..",
		"npx https://example.com/tsc": "/usr/bin/npx https://example.com/tsc",
		"npx nosuch":                  "/usr/bin/npx nosuch",
		"npx":                         "/usr/bin/npx",
		"npm exec tsc --noEmit":       "/usr/bin/npm exec tsc --noEmit",
		"npm run tsc":                 "/usr/bin/npm run tsc",
		"pnpm dlx tsc":                "/usr/bin/pnpm dlx tsc",
		"pnpm -C /tmp exec tsc":       "/usr/bin/pnpm -C /tmp exec tsc",
		"yarn tsc":                    "/usr/bin/yarn tsc",
		"yarn run tsc":                "/usr/bin/yarn run tsc",
	} {
		exec := analyze(t, environment, command)
		require.Len(t, exec.Segments, 1, command)
		s, got := exec.Segments[0], ""
		for _, w := range s.Wrappers {
			got += strings.Join(w.Argv, " ") + " > "
		}
		assert.Equal(t, want, got+strings.Join(append([]string{s.Executable.Real}, s.Argv[1:]...), " "), command)
	}
	exec := analyze(t, environment, "nice npx tsc --noEmit; npx eslint .")
	assert.Equal(t, "'/usr/bin/nice' '/srv/node_modules/typescript/bin/tsc' '--noEmit'; '/srv/app/node_modules/eslint/bin/eslint.js' '.'", exec.Rendered)
}

// A runner that may find the tool where nobody knows, before the search path, is taken off only
// where the project has the tool.
func TestPackageRunnersRunOnlyTheToolOfTheProject(t *testing.T) {
	t.Parallel()
	environment := claims("bash", strings.Fields("poetry pdm pipenv uv mypy pytest")...)
	environment.Executables["/srv/app/.venv/bin/pytest"] = "/srv/app/.venv/bin/pytest"
	for command, want := range map[string]string{
		"poetry run pytest -q": "poetry run > /srv/app/.venv/bin/pytest",
		"pdm run pytest":       "pdm run > /srv/app/.venv/bin/pytest",
		"pipenv run pytest":    "pipenv run > /srv/app/.venv/bin/pytest",
		"poetry run mypy":      "/usr/bin/poetry",
		"pdm run mypy":         "/usr/bin/pdm",
		"pipenv run mypy":      "/usr/bin/pipenv",
		"uv run mypy":          "uv run > /usr/bin/mypy",
	} {
		exec := analyze(t, environment, command)
		require.Len(t, exec.Segments, 1, command)
		s, got := exec.Segments[0], ""
		for _, w := range s.Wrappers {
			got += strings.Join(w.Argv, " ") + " > "
		}
		assert.Equal(t, want, got+s.Executable.Real, command)
	}
}
