package analyzer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
	"gavel/internal/pathglob"
)

// checkEachWritesADeniedFile checks that each of the commands has the hazard of changing a denied file.
func checkEachWritesADeniedFile(t *testing.T, cases []string) {
	t.Helper()
	hazards := kept(t, gavel.AgentSettings{Unwritable: pathglob.NewFiles([]string{"./gen/**", "./config/prod.yaml"})})
	for _, command := range cases {
		found := hazards(command)
		assert.True(t, slices.ContainsFunc(found, func(one string) bool { return strings.HasPrefix(one, "denied ") }), "%s: %q", command, found)
	}
}

func TestEveryWayToWriteADeniedFileWithGitIsFound(t *testing.T) {
	t.Parallel()
	checkEachWritesADeniedFile(t, []string{
		"git --work-tree=gen rm x",
		"git apply --directory=gen p.patch",
		"git stash push -- gen/x",
		"git worktree add gen/wt",
		"git clone https://h/gen.git",
		"git clone https://h/x.git gen",
		"git init gen",
		"git checkout main gen/x",
		"git reset -- gen/x",
		"git archive -o gen/x.tar HEAD",
		"git format-patch -o gen HEAD~1",
	})
}

func TestEveryWayToWriteADeniedFileWithAnArchiverIsFound(t *testing.T) {
	t.Parallel()
	checkEachWritesADeniedFile(t, []string{
		"split a gen/p",
		"csplit -f gen/p a 1",
		"zip gen/x.zip a",
		"zip -m out.zip gen/x",
		"xz gen/x",
		"bzip2 gen/x",
		"ar r gen/x.a a",
		"cpio -pd gen",
		"7z x a.7z -ogen",
		"wget -P gen https://h/x",
		"wget -O gen/x https://h/",
		"scp host:a gen/x",
		"tar --directory=gen -xf a.tar",
		"tar --extract --file a.tar --directory gen",
		"tar xf a.tar gen/x",
		"tar --one-top-level=gen -xf a.tar",
		"rsync --remove-source-files gen/x out/",
		"rsync -a --delete other/ .",
	})
}

func TestEveryWayToWriteADeniedFileWithAnotherProgramIsFound(t *testing.T) {
	t.Parallel()
	checkEachWritesADeniedFile(t, []string{
		"bash -c 'cd gen && rm x'",
		"nohup rm gen/x",
		"timeout 5 rm gen/x",
		"perl -i -pe s/a/b/ gen/x",
		"cp --targ=gen a",
		"mv --target-dir gen a",
		"cp -tgen a",
		"install -Dm644 a gen/n",
		"patch gen/x p.diff",
		"shred gen/x",
		"rename s/a/b/ gen/x",
		"unlink gen/x",
		"rmdir gen/sub",
		"tee -- gen/x",
		"dd of=./gen/x",
		"sort a -o gen/x",
		"uniq a gen/x",
		"openssl rand -out gen/x 4",
		"ssh-keygen -f gen/key",
		"vim gen/x",
		"ex gen/x",
		"go build -o gen/bin ./src",
		"gofmt -w gen/x.go",
		`touch -- "gen/x"`,
		"touch 'ge'n/x",
		"touch $'gen/x'",
		"touch gen/{a,b}",
		"rm {gen,out}/x",
	})
}
