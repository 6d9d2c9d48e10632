package analyzer_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
	"gavel/internal/pathglob"
)

// kept returns a function that analyzes a command in a workspace with denied files, and says which
// hazards of lists of files to write it has: the name and the file, relative to the workspace.
func kept(t *testing.T, settings gavel.AgentSettings) func(command string) []string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	work := root + "/work"
	for _, file := range []string{"a", "b", "gen/x", "gen/sub/y", "config/prod.yaml", "prod.yaml", "src/m.go", "out/o.log", "other/config/prod.yaml", "other/gen/x", "out/n.tmp"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(work+"/"+file), 0o755))
		require.NoError(t, os.WriteFile(work+"/"+file, nil, 0o600))
	}
	for link, to := range map[string]string{"d": "gen", "lx": "gen/x", "gen/link": "../a", "up": ".."} {
		require.NoError(t, os.Symlink(to, work+"/"+link))
	}
	for name, members := range map[string][]string{"gen.tar": {"ok", "gen/new", "gen/x"}, "ok.tar": {"out/", "out/ok"}} {
		require.NoError(t, os.WriteFile(work+"/"+name, tarred(t, members), 0o600))
	}
	require.NoError(t, os.WriteFile(root+"/mytool", []byte("\x7fELF"), 0o755))
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Home: root, Cwd: work, Path: []string{"/usr/bin", "/bin", root}})
	require.NoError(t, err)
	settings.Hosts = map[string]bool{"": true}
	return func(command string) (found []string) {
		facts := a.Analyze(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}},
			&gavel.AnalyzerSettings{Others: settings})
		require.NotNil(t, facts.Exec, command)
		require.Nil(t, facts.Exec.Refusal, command)
		for _, s := range facts.Exec.Segments {
			for _, h := range s.Hazards {
				if h.Kind == "writes" && slices.Contains([]string{"denied", "below", "inside", "unsure", "unlisted", "bound", "unseen"}, h.Option) {
					found = append(found, fmt.Sprintf("%s %s", h.Option, strings.TrimPrefix(h.Real, work+"/")))
				}
			}
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
}

// tarred is an archive with these members.
func tarred(t *testing.T, members []string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range members {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o600}))
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestWhatAnArchiveHoldsIsComparedWithTheLists(t *testing.T) {
	t.Parallel()
	denied := kept(t, gavel.AgentSettings{Unwritable: pathglob.NewFiles([]string{"./gen/**"})})
	allowed := kept(t, gavel.AgentSettings{Writable: []gavel.Files{pathglob.NewFiles([]string{"./gen/**", "./out/**"})}})
	tests := map[string]struct {
		found []string
		want  []string
	}{
		"a member that is denied":                       {denied("tar -xf gen.tar"), []string{"below gen/new"}},
		"one that words may leave out":                  {denied("tar -xf gen.tar ok"), []string{"unsure gen/new"}},
		"one that may get another name":                 {denied("tar -xf gen.tar --strip-components=1"), []string{"unsure gen/new"}},
		"none, although a denied directory is there":    {denied("tar -xf ok.tar"), nil},
		"an archive that cannot be read":                {denied("tar -xJf ok.tar"), []string{"unsure gen"}},
		"one whose members may get other names":         {denied("tar -xf ok.tar --transform=s,o,g,"), []string{"unsure gen"}},
		"a list of names":                               {denied("tar -tf gen.tar"), nil},
		"a member that no allow list has":               {allowed("tar -xf gen.tar"), []string{"unlisted ok"}},
		"members that one has, and their own directory": {allowed("tar -xf ok.tar"), nil},
	}
	for name, test := range tests {
		assert.Equal(t, test.want, test.found, name)
	}
}

// checkDeniedWrites compares the denied files that commands change or may change.
func checkDeniedWrites(t *testing.T, cases map[string][]string) {
	t.Helper()
	hazards := kept(t, gavel.AgentSettings{Unwritable: pathglob.NewFiles([]string{"./gen/**", "./config/prod.yaml"})})
	for command, want := range cases {
		assert.Equal(t, want, hazards(command), command)
	}
}

func TestFilesThatACommandChangesAreComparedWithTheDenyList(t *testing.T) {
	t.Parallel()
	checkDeniedWrites(t, map[string][]string{
		"rm gen/x":                             {"denied gen/x"},
		"rm -f -- gen/x":                       {"denied gen/x"},
		"touch gen/z":                          {"denied gen/z"},
		"mv a gen/b":                           {"denied gen/b"},
		"mv gen/x b":                           {"denied gen/x"},
		"cp a gen/y":                           {"denied gen/y"},
		"cp -t gen a":                          {"denied gen", "denied gen/a"},
		"cp --target-directory=gen a":          {"denied gen", "denied gen/a"},
		"sed -i s/a/b/ gen/x":                  {"denied gen/x"},
		"sed -i -e s/a/b/ gen/x":               {"denied gen/x"},
		"echo x | tee -a gen/x":                {"denied gen/x"},
		"ln -s a gen/y":                        {"denied gen/y"},
		"ln gen/x y":                           {"denied gen/x"},
		"ln -s gen e":                          {"denied gen"},
		"mkdir -p gen/d/e":                     {"denied gen/d/e"},
		"chmod +x gen/x":                       {"denied gen/x"},
		"chmod --reference=a gen/x":            {"denied gen/x"},
		"truncate -s 0 gen/x":                  {"denied gen/x"},
		"dd if=a of=gen/x":                     {"denied gen/x"},
		"install -m 600 a gen/x":               {"denied gen/x"},
		"install -d gen/n":                     {"denied gen/n"},
		"sort -o gen/x a":                      {"denied gen/x"},
		"sort -ogen/x a":                       {"denied gen/x"},
		"curl --output-dir gen -O https://h/x": {"denied gen", "denied gen/x"},
		"curl -o gen/x https://h/":             {"denied gen/x"},
		"curl -ogen/x https://h/":              {"denied gen/x"},
		"gzip gen/x":                           {"denied gen/x"},
		"gunzip config/prod.yaml.gz":           {"denied config/prod.yaml"},
		"gunzip config/prod.yaml.GZ":           {"denied config/prod.yaml"},
		"gunzip -S l config/prod.yamll":        {"denied config/prod.yaml"},
		"gunzip -Sl config/prod.yamll":         {"denied config/prod.yaml"},
		"gzip -dk config/prod.yaml-gz":         {"denied config/prod.yaml"},
		"uncompress config/prod.yaml.Z":        {"denied config/prod.yaml"},
		"bunzip2 config/prod.yaml.bz2":         {"denied config/prod.yaml"},
		"unpigz config/prod.yaml.zz":           {"denied config/prod.yaml"},
		"xz -d config/prod.yaml.xz":            {"denied config/prod.yaml"},
		"xz -d -S .s config/prod.yaml.s":       {"denied config/prod.yaml"},
		"unlzma config/prod.yaml.lzma":         {"denied config/prod.yaml"},
		"unxz --suffix=.s config/prod.yaml.s":  {"denied config/prod.yaml"},
		"zstd -d config/prod.yaml.zst":         {"denied config/prod.yaml"},
		"unlz4 config/prod.yaml.lz4":           {"denied config/prod.yaml"},
		"brotli -d config/prod.yaml.br":        {"denied config/prod.yaml"},
		"zstd -d -r gen":                       {"denied gen"},
		"git checkout -- gen/x":                {"denied gen/x"},
		"git checkout HEAD~1 'gen/*'":          {"denied gen"},
		"git restore ':(top)gen/x'":            {"denied gen/x"},
		"git rm gen/x":                         {"denied gen/x"},
		"git -C gen rm x":                      {"denied gen/x"},
		"git mv a gen/q":                       {"denied gen/q"},
		"tar -xf a.tar -C gen":                 {"denied gen"},
		"tar xfC a.tar gen":                    {"denied gen"},
		// Each operand is looked for in each directory.
		"tar --remove-files -cf a.tar -C gen x -C ../out o.log": {"denied gen/o.log", "denied gen/x"},
		"tar -cf gen/x.tar src":                                 {"denied gen/x.tar"},
		"unzip a.zip -d gen":                                    {"denied gen"},
		"unzip -d gen a.zip":                                    {"denied gen"},
	})
}

func TestDirectoriesThatACommandChangesAreComparedWithTheDenyList(t *testing.T) {
	t.Parallel()
	checkDeniedWrites(t, map[string][]string{
		"rm -r gen":                             {"denied gen"},
		"rm -r config":                          {"below config/prod.yaml"},
		"rm -rf .":                              {"below config/prod.yaml", "inside gen"},
		"mv config elsewhere":                   {"below config/prod.yaml"},
		"chmod -R 700 .":                        {"below config/prod.yaml", "inside gen"},
		"find gen -delete":                      {"denied gen"},
		"find . -name '*.yaml' -delete":         {"below config/prod.yaml"},
		"cp -r other/config .":                  {"denied config/prod.yaml"},
		"cp -r other/. .":                       {"denied config/prod.yaml", "denied gen"},
		"cp -rT other .":                        {"denied config/prod.yaml", "denied gen"},
		"cp prod.yaml config":                   {"denied config/prod.yaml"},
		"mv prod.yaml config/":                  {"denied config/prod.yaml"},
		"rsync -a other/ .":                     {"denied config/prod.yaml", "denied gen"},
		"curl -O https://h/gen":                 {"denied gen"},
		"cd config && wget https://h/prod.yaml": {"denied config/prod.yaml"},
	})
}

func TestEverySpellingOfADeniedFileIsFound(t *testing.T) {
	t.Parallel()
	checkDeniedWrites(t, map[string][]string{
		"cd gen && rm x":                   {"denied gen/x"},
		"(cd gen; touch n)":                {"unsure "},
		"rm out/../gen/x":                  {"denied gen/x"},
		"rm ./gen//x":                      {"denied gen/x"},
		"rm d/x":                           {"denied gen/x"},
		"rm lx":                            {"denied gen/x"},
		"rm gen/link":                      {"denied gen/link"},
		"rm d/link":                        {"denied gen/link"},
		"rm up/work/gen/x":                 {"denied gen/x"},
		"rm ~/work/gen/x":                  {"denied gen/x"},
		"rm gen/*":                         {"denied gen", "denied gen/link", "denied gen/sub", "denied gen/x"},
		"rm ge*":                           {"denied gen"},
		"rm */x":                           {"denied gen/x"},
		"for f in a gen/x; do rm $f; done": {"denied gen/x"},
		`rm "gen/$NAME"`:                   {"denied gen"},
		"sh -c 'rm gen/x'":                 {"denied gen/x"},
		"nice rm gen/x":                    {"denied gen/x"},
	})
}

func TestADeniedFileThatACommandMayChangeIsAHazard(t *testing.T) {
	t.Parallel()
	checkDeniedWrites(t, map[string][]string{
		"tar -xf a.tar":      {"unsure config/prod.yaml", "unsure gen"},
		"unzip a.zip":        {"unsure config/prod.yaml", "unsure gen"},
		"git clean -fd":      {"unsure config/prod.yaml", "unsure gen"},
		"git checkout -- .":  {"unsure config/prod.yaml", "unsure gen"},
		"mytool gen/x":       {"unsure gen/x"},
		"mytool --out=gen/x": {"unsure gen/x"},
	})
}

func TestACommandThatChangesOtherFilesHasNoHazard(t *testing.T) {
	t.Parallel()
	checkDeniedWrites(t, map[string][]string{
		"cat gen/x":                     nil,
		"cp gen/x out/x":                nil,
		"cp a out/":                     nil,
		"diff gen/x a":                  nil,
		"git diff -- gen":               nil,
		"git clean -n":                  nil,
		"gzip -c gen/x":                 nil,
		"gunzip -c config/prod.yaml.gz": nil,
		"gunzip config/dev.yaml.gz":     nil,
		"tar -cf out/x.tar gen":         nil,
		"tar xf a.tar -C out":           nil,
		"unzip a.zip -d out":            nil,
		"unzip -l a.zip":                nil,
		"find . -name '*.tmp' -delete":  nil,
		"find gen -name x":              nil,
		"rm -r out":                     nil,
		"mv src out":                    nil,
		"cp -r other/config elsewhere":  nil,
		"cd gen":                        nil,
		"echo gen/x":                    nil,
		"test -f gen/x":                 nil,
		"mytool src":                    nil,
		"dd if=gen/x of=a":              nil,
		"touch -r gen/x a":              nil,
	})
}

func TestFilesThatACommandChangesAreComparedWithEveryAllowList(t *testing.T) {
	t.Parallel()
	hazards := kept(t, gavel.AgentSettings{Writable: []gavel.Files{pathglob.NewFiles([]string{"./**"}), pathglob.NewFiles([]string{"./out/**", "./src/**"})}})
	for command, want := range map[string][]string{
		"touch out/z":      nil,
		"rm src/m.go":      nil,
		"rm a":             {"unlisted a"},
		"mkdir -p out/a/b": nil,
		"mkdir -p new":     {"unlisted new"},
		"chmod +x out/o":   nil,
		"chmod +x a":       {"unlisted a"},
		"rm d/x":           {"unlisted gen/x"},
		"cat a":            nil,
		"tar -xf a.tar":    nil,                // a hazard of its own, which needs an entry
		"tar -czf a.tgz d": nil,                // the lists judge the file of its hazard TARGET, as of cp
		"tar -rf a.tar d":  {"unlisted a.tar"}, // -r says nothing of the file
		"tar czf out/t d":  nil,
	} {
		assert.Equal(t, want, hazards(command), command)
	}
}

func TestWithoutListsNothingIsCompared(t *testing.T) {
	t.Parallel()
	hazards := kept(t, gavel.AgentSettings{})
	for _, command := range []string{"rm gen/x", "rm -r .", "tar -xf a.tar", "mytool gen/x"} {
		assert.Empty(t, hazards(command), command)
	}
}
