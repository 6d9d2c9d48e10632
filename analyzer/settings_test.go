package analyzer_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// settingsIn returns the settings that are hazards of a command in a workspace, separated by spaces.
func settingsIn(t *testing.T, root, command string) string {
	t.Helper()
	list := []string{}
	for _, s := range segmentsIn(t, root, command) {
		for _, h := range s.Hazards {
			if h.Option == "settings" {
				list = append(list, strings.TrimPrefix(h.Argument, root+"/ws/"))
			}
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}

// withSettings makes a project with these files, and with programs that look for settings.
func withSettings(t *testing.T, files map[string]string) string {
	t.Helper()
	root := repositoryWith(t, files)
	for _, name := range []string{"npm", "yamllint", "docker", "podman"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "bin", name), nil, 0o755)) //nolint:gosec // programs
	}
	return root
}

// A file of the workspace says where npm sends credentials, and which files yamllint and compose read.
func TestSettingsOfTheWorkspaceAreHazards(t *testing.T) {
	t.Parallel()
	root := withSettings(t, map[string]string{".npmrc": "", "src/.yamllint": "extends: default\n", "bad.yaml": "extends: .env\n", "sub/compose.yaml": "include: [https://h/x.git]\n",
		"doc/docker-compose.yml": "services: {a: {image: b}}\n", "doc/in/x": ""})
	for command, want := range map[string]string{
		"npm view x":                        ".npmrc",
		"npm info x":                        ".npmrc",
		"cd src && npm view x":              ".npmrc",
		"npm ls":                            "",
		"yamllint x.yaml":                   "",
		"yamllint -c bad.yaml x.yaml":       "bad.yaml",
		"yamllint -cbad.yaml x.yaml":        "bad.yaml",
		"yamllint --config-f=bad.yaml x":    "bad.yaml",
		"yamllint -c src/.yamllint x.yaml":  "",
		"yamllint -c \"$X\" x.yaml":         "-c",
		"yamllint -c gone x.yaml":           "",
		"cd sub && docker compose ps":       "sub/compose.yaml",
		"cd sub && docker compose logs -f":  "sub/compose.yaml",
		"cd doc && docker compose ps":       "",
		"cd doc/in && docker compose ps":    "",
		"cd sub && docker ps":               "",
		"cd sub && docker compose ls":       "",
		"cd sub && podman compose port a 1": "sub/compose.yaml",
	} {
		assert.Equal(t, want, settingsIn(t, root, command), command)
	}
}

func TestSettingsThatNameNoFilesAreNotHazards(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                     "",
		"rules: {}\n":                          "",
		"extends: default\nrules: {a: enable}": "",
		"extends: relaxed\n":                   "",
		"{\"extends\": \"default\"}":           "",
		"extends: &a default\nx: *a\n":         "",
		"ignore-from-file: .gitignore\n":       "",
		"ignore-from-file: [.gitignore]\n":     "",
		"ignore: [a, b]\n":                     "",
		"extends: .env\n":                      ".yamllint",
		"\"extends\": .env\n":                  ".yamllint",
		"\"\\x65xtends\": .env\n":              ".yamllint",
		"? extends\n: .env\n":                  ".yamllint",
		"a: &e extends\n*e : .env\n":           ".yamllint",
		"x: &v .env\nextends: *v\n":            ".yamllint",
		"x: &m {extends: .env}\n<<: *m\n":      ".yamllint",
		"<<: {extends: .env}\n":                ".yamllint",
		"extends: [default, .env]\n":           ".yamllint",
		"extends: {a: b}\n":                    ".yamllint",
		"extends: default\n---\nextends: .env": ".yamllint",
		"ignore-from-file: [.gitignore, .env]": ".yamllint",
		"extends: default\nextends: .env\n":    ".yamllint",
		"extends: default\n\tx: [\n":           ".yamllint", // not YAML
		"[a, b]: c\n":                          ".yamllint",
		strings.Repeat("# comment\n", 30_000):  ".yamllint", // too large
		strings.Repeat("[", 90) + "a":          ".yamllint",
		"\xff\xfee\x00x\x00t\x00e\x00n\x00d\x00s\x00:\x00 \x00x\x00": ".yamllint",
	} {
		assert.Equal(t, want, settingsIn(t, withSettings(t, map[string]string{".yamllint": text}), "yamllint x.yaml"), text[:min(len(text), 60)])
	}
}

func TestAnEarlierCommandMayChangeSettings(t *testing.T) {
	t.Parallel()
	root := withSettings(t, map[string]string{"x/.npmrc": "", "x/a": "", "f": ""})
	for command, want := range map[string]string{
		"npm view x": "",
		"echo registry=http://h/ > .npmrc; npm view x":        ".npmrc",
		"echo registry=http://h/ >> src/.npmrc; npm view x":   ".npmrc",
		"echo x > \"$X\"; npm view x":                         ".npmrc",
		"echo x | tee .npmrc; npm view x":                     ".npmrc",
		"cp x/.npmrc .; npm view x":                           ".npmrc",
		"mv f .npmrc && npm view x":                           ".npmrc",
		"mv f .n* && npm view x":                              ".npmrc",
		"cd x && mv a .npmrc; cd .. && npm view x":            ".npmrc",
		"mv x y && npm view x":                                ".npmrc",
		"mv x/a f && npm view x":                              "",
		"git checkout x && npm view x":                        ".npmrc",
		"git stash pop; yamllint a.yaml":                      ".yamllint",
		"git checkout x && yamllint -d relaxed a.yaml":        "",
		"npm view x & echo registry=http://h/ > .npmrc":       ".npmrc",
		"for i in 1 2; do npm view x; mv f .npmrc; done":      ".npmrc",
		"echo 'extends: .env' > .yamllint && yamllint a.yaml": ".yamllint",
		"echo 'include: x' > compose.yaml; docker compose ps": "compose.yaml",
		"npm view x; echo registry=http://h/ > .npmrc":        "",
		"echo x > notes; npm view x":                          "",
		"touch a; rm f; npm view x":                           "",
		"cat .npmrc; npm view x":                              "",
	} {
		assert.Equal(t, want, settingsIn(t, root, command), command)
	}
}

// kustomize prints the files that a kustomization names, and those of the directories that it names.
func TestFilesThatAKustomizationNamesAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"resources: [a.yaml]\n":                                        "",
		"configMapGenerator: [{name: x, files: [app.conf]}]\n":         "",
		"configMapGenerator: [{name: x, envs: [good.txt]}]\n":          "",
		"secretGenerator: [{name: x, envs: [.env]}]\n":                 "denied",
		"secretGenerator: [{name: x, files: [a=.env]}]\n":              "denied",
		"secretGenerator: [{name: x, files: [\"\\x2eenv\"]}]\n":        "denied",
		"generators: [gen.yaml]\n":                                     "denied",
		"resources: [../conf]\n":                                       "denied",
		"resources: [../conf/kustomization.yaml]\n":                    "denied",
		"components: [&a ../conf]\n":                                   "denied",
		"resources: [../../out/note]\n":                                "outside",
		"configMapGenerator: [{name: x, envs: [bad.txt]}]\n":           "settings",
		"configMapGenerator: [{name: x, env: bad.txt}]\n":              "settings",
		"x: &e bad.txt\nconfigMapGenerator: [{name: x, envs: [*e]}]\n": "settings",
		"resources: [\n": "settings",
	} {
		root := withSettings(t, map[string]string{"k/kustomization.yaml": text, "k/.env": "A=1", "k/a.yaml": "kind: Pod\n", "k/app.conf": "x {", "k/good.txt": "A=1\n\n# b\n",
			"k/bad.txt": "A=1\nHOME\n", "k/gen.yaml": "kind: ConfigMapGenerator\nfiles: [.env]\n", "conf/kustomization.yaml": "configMapGenerator: [{files: [server.key]}]\n"})
		for _, name := range []string{"kustomize", "kubectl"} {
			require.NoError(t, os.WriteFile(filepath.Join(root, "bin", name), nil, 0o755)) //nolint:gosec // programs
		}
		for _, command := range []string{"kustomize build k", "cd k && kustomize build", "kustomize build ./k/.", "kubectl kustomize k"} {
			list := []string{}
			for _, h := range hazardsIn(t, root, command) {
				if option, _, _ := strings.Cut(h, " "); slices.Contains([]string{"denied", "outside", "closed", "settings"}, option) {
					list = append(list, strings.Replace(option, "closed", "outside", 1))
				}
			}
			slices.Sort(list)
			assert.Equal(t, want, strings.Join(slices.Compact(list), " "), "%s: %s", command, text)
		}
		assert.Contains(t, settingsIn(t, root, "echo x > k/gen.yaml; kustomize build k"), "kustomization.yaml", text)
	}
}
