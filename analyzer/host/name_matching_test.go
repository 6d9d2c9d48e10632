package host_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/analyzer/host"
)

// The lists themselves fold case. A name that a file system folds further counts as unknown.
func TestNamesThatFileSystemsFoldBeyondCase(t *testing.T) {
	t.Parallel()
	for path, want := range map[string][3]bool{ // on Linux, macOS and Windows
		"/home/u/.ssh/id_rsa":       {},
		"/home/u/.SSH/ID_RSA":       {},
		"/home/u/über/é.txt":        {},
		"/home/u/日本語/ファイル":          {},
		"/home/u/..a/b..c":          {},
		"/home/u/./../v":            {},
		"/home/u/a~b/~/x~":          {},
		"/home/u/.\u017f\u017fh/id": {false, true, true}, // long s
		"/home/u/.\u212aube/config": {false, true, true}, // the kelvin sign
		"/home/u/.\u00dfh/id_rsa":   {false, true, true}, // sharp s is ss
		"/home/u/.kube/con\ufb01g":  {false, true, true}, // a ligature
		"/home/u/.e\u200cnv":        {false, true, true}, // an invisible character
		"/home/u/.env\ufeff":        {false, true, true},
		"/home/u/.env\ufe0f":        {false, true, true},
		"/home/u/e\u0301.txt":       {false, true, true}, // not in form NFC
		"/home/u/\xff.txt":          {false, true, true}, // not UTF-8
		"/home/u/.env::$DATA":       {false, false, true},
		"/home/u/a.txt:s":           {false, false, true},
		"/home/u/.env.":             {false, false, true},
		"/home/u/.env ":             {false, false, true},
		"/home/u/.ssh. /id_rsa":     {false, false, true},
		"/home/u/SSH~1/id_rsa":      {false, false, true},
		"/home/u/ID_RSA~12.PUB":     {false, false, true},
		`/home/u/a\..\.ssh\id_rsa`:  {false, false, true},
		"/home/u/NUL":               {false, false, true},
		"/home/u/com1.txt":          {false, false, true},
		"/home/u/conin$":            {false, false, true},
		"/home/u/con\u0131n$":       {false, false, true}, // its capital is an I
		"/home/u/CONOUT$":           {false, false, true},
		"/home/u/Con .txt":          {false, false, true},
		"/home/u/prn":               {false, false, true},
		"/home/u/AUX.c":             {false, false, true},
		"/home/u/lpt9":              {false, false, true},
		"/home/u/PRN":               {false, false, true},
		"/home/u/LPT1.x":            {false, false, true},
		"/home/u/aux":               {false, false, true},
		"/home/u/nul.txt":           {false, false, true},
		"/home/u/console":           {},
		"/home/u/com10":             {},
	} {
		for i, platform := range []string{"linux", "darwin", "windows"} {
			assert.Equal(t, want[i], host.MatchingOn(platform).MayAlias(path), "%q on %s", path, platform)
		}
	}
	assert.Equal(t, host.MatchFolded, host.MatchingOn("macos"))
	assert.Equal(t, host.MatchExact, host.MatchingOn("freebsd"))
	assert.Equal(t, host.MatchWindows, host.MatchingOn("plan9"))
	assert.Equal(t, host.MatchWindows, host.MatchingOn(""), "an unknown platform may be any of them")
}

func TestAliasesAreComparedInOneSpelling(t *testing.T) {
	t.Parallel()
	for path, want := range map[string][2]string{ // on macOS and Windows
		"/w/.claude/\u017fettings.json": {"/w/.claude/settings.json", "/w/.claude/settings.json"},
		"/w/.GIT/hoo\u212as":            {"/w/.git/hooks", "/w/.git/hooks"},
		"/w/.gi\u200ct/con\ufb01g":      {"/w/.git/config", "/w/.git/config"},
		"/w/e\u0301":                    {"/w/\u00e9", "/w/\u00e9"},
		"/w/.git./config":               {"/w/.git./config", "/w/.git/config"},
		"/w/.git::$INDEX/config .":      {"/w/.git::$index/config .", "/w/.git/config"},
		`/w/.git\config:x`:              {`/w/.git\config:x`, "/w/.git/config"},
		"/w/C:/x":                       {"/w/c:/x", "/x"},
	} {
		assert.Equal(t, want, [2]string{host.MatchFolded.Plain(path), host.MatchWindows.Plain(path)}, path)
	}
	for path, want := range map[string]string{"/w/GIT~1/x": "GIT~1", `a\SETTIN~12.JSO`: "SETTIN~12.JSO", "/w/a~b": "", "x~": ""} {
		assert.Equal(t, want, host.MatchWindows.ShortName(path), path)
		assert.Empty(t, host.MatchFolded.ShortName(path), path)
	}
}
