package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// patching returns the facts of a call of apply_patch in /srv/app.
func patching(t *testing.T, patch string) gavel.Facts {
	t.Helper()
	return newAnalyzer(t).Analyze(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"},
		Tool:        gavel.Tool{Name: "apply_patch", Params: map[string]any{"input": patch}},
		Environment: claims("bash")}, nil)
}

func TestEveryFileOfAPatchIsAFact(t *testing.T) {
	t.Parallel()
	for patch, want := range map[string]string{
		// In the format of apply_patch.
		"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch":                                                       "a",
		"*** Begin Patch\n*** Update File: a\n*** Move to: /etc/b\n@@\n-x\n+y\n*** End Patch":                       "a /etc/b",
		"*** Begin Patch\n*** Delete File: ../a\n*** End Patch":                                                     "../a",
		"*** Begin Patch\n*** Add File: a\n+++ b\n*** End Patch":                                                    "a",
		"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n*** Begin Patch\n*** Delete File: b\n*** End Patch\n": "a b",
		"<<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF\n":                                       "a",
		// As a unified diff.
		"--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n":                                                                                        "a b",
		"--- a/s/x\t2020-01-01\n+++ b/s/x\n@@ -1 +1 @@\n-x\n+y\n":                                                                    "a/s/x s/x b/s/x s/x",
		"--- /dev/null\n+++ b/../../etc/x\n@@ -0,0 +1 @@\n+y\n":                                                                      "b/../../etc/x ../../etc/x",
		"--- a//etc/x\n+++ b//etc/x\n@@ -1 +1 @@\n-x\n+y\n":                                                                          "a//etc/x /etc/x b//etc/x /etc/x",
		"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to /etc/y\n":                                               "a/x b/y x y x /etc/y etc/y",
		"diff --git a/x b/x\nnew file mode 100755\n":                                                                                 "a/x b/x x x",
		"diff --git a/x b/x\nindex 1a2b..3c4d 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@ f()\n-x\f\n+y\f\n\\ No newline at end of file\n": "a/x b/x x x a/x x b/x x",
		"diff -ru a/x b/x\n--- a/my x\t2020-01-01 10:00:00\n+++ b/my x\t2020-01-01 10:00:00\n":                                       "a/my x my x b/my x my x",
		"diff --git a/x b/y\ncopy from x\ncopy to y\n":                                                                               "a/x b/y x y x y",
		"Index: x\n--- x\n+++ x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n--- y\n+++ y\n@@ -1 +1 @@\n-b\n+c\n":                                   "x x x y y",
		"--- x\n+++ x\n@@ -1,3 +1,2 @@\n a\n--- y\n b\n":                                                                             "x x y",
	} {
		facts := patching(t, patch)
		var names []string
		for _, r := range facts.Resources {
			assert.Equal(t, "write", r.Access)
			names = append(names, r.Given)
		}
		assert.Equal(t, want, strings.Join(names, " "), patch)
		assert.Empty(t, facts.Tool.Odd, patch)
	}
}

func TestPatchesThatReadersMayReadDifferentlyAreOdd(t *testing.T) {
	t.Parallel()
	for patch, why := range map[string]string{
		"x":                                        "a patch that names no file",
		"*** Begin Patch\n*** End Patch":           "a patch that names no file",
		"1,3d\nw /etc/x\n":                         "a patch that names no file",
		"*** Add File: a\n+x\n--- b\n+++ b\n":      "a patch in two formats",
		"--- a\n+++ a\n@@ -1 +1 @@\n-x\n":          "a part that is shorter than it says",
		"--- a\n+++ a\n@@ -1 +1 @@\n-x\nfoo\n":     "a part that is shorter than it says",
		"--- a\n+++ a\n@@ x @@\n-x\n":              "a part whose head cannot be read",
		"--- \"a\\n\"\n+++ b\n":                    "a quoted name",
		"diff --git a/x y b/x y\n":                 "a diff --git line that does not have two plain names",
		"diff --git a/l b/l\nnew file mode 120000": "a symbolic link",
		"--- a\n+++ ~\u00a0b\n":                    "the character U+00A0",

		// GNU patch reads indented diffs, names that a space ends, and parts after "Index:".
		"--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n  --- b\n  +++ b\n  @@ -0,0 +1 @@\n  +x\n": "a line between the parts of a diff that is not understood",
		"--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\nX--- b\nX+++ b\nX@@ -0,0 +1 @@\nX+x\n":     "a line between the parts of a diff that is not understood",
		"--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\nIndex:b\n@@ -0,0 +1 @@\n+x\n":              "a line between the parts of a diff that is not understood",
		"--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\nIndex: b\n0a1\n> x\n":                      "a line between the parts of a diff that is not understood",
		"--- a\n+++ a\n---\tb\n+++\tb\n@@ -0,0 +1 @@\n+x\n":                            "a line between the parts of a diff that is not understood",
		"diff --git a/l b/l\nindex 1a2b..3c4d 120000\n--- a/l\n+++ b/l\n":              "a line between the parts of a diff that is not understood",
		"diff --git a/x b/x\nGIT binary patch\nliteral 0\n":                            "a line between the parts of a diff that is not understood",
		"--- .env x\n+++ .env x\n@@ -0,0 +1 @@\n+x\n":                                  "a name with a space that no tab ends",

		// Some readers end a line where others do not.
		"\r--- b\r+++ b\r@@ -0,0 +1 @@\r+x\n--- a\n+++ a\n": "a line of a diff that another reader may take for several",
		"--- a\n+++ a\n@@ -1 +1 @@\n-x\r--- b\n+y\n":        "a line of a diff that another reader may take for several",
		"--- a\n+++ a\n@@ -1 +1 @@\n-x\u2028--- b\n+y\n":    "a line of a diff that another reader may take for several",

		// Two formats in one text: readers choose.
		"*** Add File: a\nIndex: b\n@@ -0,0 +1 @@\n+x\n":                                       "a patch in two formats",
		"*** Add File: a\n--- b\n@@ -1 +0,0 @@\n-x\n":                                          "a patch in two formats",
		"*** Update File: a\nrename from a\nrename to b\n":                                     "a patch in two formats",
		"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n--- b\n+++ b\n@@ -0,0 +1 @@\n+x": "a patch in two formats",
	} {
		assert.Contains(t, patching(t, patch).Tool.Odd, why, patch)
	}
}
