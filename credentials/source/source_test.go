package source_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"filippo.io/age"
	"filippo.io/age/armor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/source"
)

const secret = "s3cret-value-of-the-test"

func write(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), mode))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

func read(t *testing.T, settings source.Settings, text string) (source.Value, error) {
	t.Helper()
	s, err := source.Parse(text)
	require.NoError(t, err)
	return source.NewReader(settings, func(name string) string {
		if name == "HOME" {
			return "/home/daemon"
		}
		return ""
	}).Read(t.Context(), s)
}

func TestSourcesAreRead(t *testing.T) {
	for text, want := range map[string]source.Source{
		"pass:github/token": {Kind: source.Pass, Name: "github/token"}, "github/token": {Kind: source.Pass, Name: "github/token"},
		"gopass:a": {Kind: source.Gopass, Name: "a"}, "env:A_B": {Kind: source.Env, Name: "A_B"}, "file:/a/b": {Kind: source.File, Name: "/a/b"},
		"age:/a.age": {Kind: source.Age, Name: "/a.age"}, "op://vault/item/field": {Kind: source.OP, Name: "op://vault/item/field"},
		"vault:secret/app#token": {Kind: source.Vault, Name: "secret/app", Part: "token"}, "keychain:svc/me": {Kind: source.Keychain, Name: "svc", Part: "me"},
		"exec-json:/bin/mint": {Kind: source.ExecJSON, Name: "/bin/mint"},
	} {
		s, err := source.Parse(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, s, text)
	}
	for _, text := range []string{"", "file:a", "file:/a/../b", "env:A-B", "env:", "pass:-x", "pass:../x", "paas:x", "bw:x", "op:x", "file:/a\nb", "pass:x | .[", "exec-json:/a | .b", "https://x"} {
		_, err := source.Parse(text)
		assert.Error(t, err, text)
	}
}

func TestAFileIsReadIfNobodyElseMayReadOrChangeIt(t *testing.T) {
	for mode, ok := range map[os.FileMode]bool{0o600: true, 0o640: true, 0o400: true, 0o644: false, 0o660: false, 0o602: false} {
		value, err := read(t, source.Settings{}, "file:"+write(t, "token", secret+"\n", mode))
		assert.Equal(t, ok, err == nil, "%o: %v", mode, err)
		if ok {
			assert.Equal(t, secret, value.Text)
		} else {
			assert.NotContains(t, err.Error(), secret)
		}
	}
	path := write(t, "token", secret, 0o600)
	link := path + "-link"
	require.NoError(t, os.Symlink(path, link))
	value, err := read(t, source.Settings{}, "file:"+link)
	require.NoError(t, err, "Kubernetes mounts secrets behind links")
	assert.Equal(t, secret, value.Text)
	for name, text := range map[string]string{"empty": "", "too large": string(make([]byte, 65<<10)), "a null character": "a\x00b"} {
		_, err := read(t, source.Settings{}, "file:"+write(t, "token", text, 0o600))
		assert.Error(t, err, name)
	}
	_, err = read(t, source.Settings{}, "file:"+t.TempDir())
	require.ErrorContains(t, err, "not a regular file")
}

func TestTheSourceEnvReadsALineOfAFileThatIsNotALink(t *testing.T) {
	path := write(t, "env", "A=1\nTOKEN="+secret+"\nTOKEN=other\nE=\n", 0o600)
	value, err := read(t, source.Settings{EnvFile: path}, "env:TOKEN")
	require.NoError(t, err)
	assert.Equal(t, secret, value.Text)
	for _, name := range []string{"B", "E", "TOKE"} {
		_, err := read(t, source.Settings{EnvFile: path}, "env:"+name)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), secret)
	}
	link := path + "-link"
	require.NoError(t, os.Symlink(path, link))
	_, err = read(t, source.Settings{EnvFile: link}, "env:TOKEN")
	require.Error(t, err)
}

func TestAQuerySelectsAPartOfAValue(t *testing.T) {
	path := write(t, "json", `{"token": "`+secret+`", "n": {"a": [1, 2]}}`, 0o600)
	value, err := read(t, source.Settings{}, "file:"+path+" | .token")
	require.NoError(t, err)
	assert.Equal(t, secret, value.Text)
	value, err = read(t, source.Settings{}, "file:"+path+" | .n")
	require.NoError(t, err)
	assert.Equal(t, `{"a":[1,2]}`, value.Text)
	for _, query := range []string{".nope", ".token.x", "error(.token)"} {
		_, err := read(t, source.Settings{}, "file:"+path+" | "+query)
		require.Error(t, err, query)
		assert.NotContains(t, err.Error(), secret)
	}
	_, err = read(t, source.Settings{}, "file:"+write(t, "text", secret, 0o600)+" | .token")
	require.ErrorContains(t, err, "not JSON")
	assert.NotContains(t, err.Error(), secret)
}

func TestAnAgeFileIsDecrypted(t *testing.T) {
	identity, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	keys := write(t, "identity", "# a comment\n"+identity.String()+"\n", 0o600)
	for _, armored := range []bool{false, true} {
		var file bytes.Buffer
		var out io.WriteCloser = struct {
			io.Writer
			io.Closer
		}{&file, io.NopCloser(nil)}
		if armored {
			out = armor.NewWriter(&file)
		}
		in, err := age.Encrypt(out, identity.Recipient())
		require.NoError(t, err)
		_, err = in.Write([]byte(secret + "\n"))
		require.NoError(t, err)
		require.NoError(t, in.Close())
		if armored {
			require.NoError(t, out.Close())
		}
		path := write(t, "token.age", file.String(), 0o644)
		value, err := read(t, source.Settings{AgeIdentity: keys}, "age:"+path)
		require.NoError(t, err, "armored: %t", armored)
		assert.Equal(t, secret, value.Text)
		other, err := age.GenerateX25519Identity()
		require.NoError(t, err)
		_, err = read(t, source.Settings{AgeIdentity: write(t, "other", other.String(), 0o600)}, "age:"+path)
		require.Error(t, err)
		_, err = read(t, source.Settings{AgeIdentity: write(t, "open", identity.String(), 0o644)}, "age:"+path)
		require.ErrorContains(t, err, "others may read")
		_, err = read(t, source.Settings{AgeIdentity: write(t, "broken", "AGE-SECRET-KEY-1X", 0o600)}, "age:"+path)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "SECRET-KEY")
	}
}

// program writes a script that stands for the program of a secret store.
func program(t *testing.T, text string) string { return write(t, "program", "#!/bin/sh\n"+text, 0o700) }

func TestProgramsOfSecretStoresAreRunWithoutAShell(t *testing.T) {
	path := program(t, `printf '%s\n' "$*" "$HOME" "${OTHER-none}"`)
	for text, c := range map[string]struct {
		settings source.Settings
		args     string
	}{
		"pass:a b; $(x)":   {source.Settings{PassBinary: path}, "-- a b; $(x)"},
		"gopass:a/b":       {source.Settings{GopassBinary: path}, "show --password -- a/b"},
		"vault:kv/app#tok": {source.Settings{VaultBinary: path}, "kv get -field=tok kv/app"},
		"op://v/i/f":       {source.Settings{OPBinary: path, OPTokenFile: write(t, "op", "t", 0o600)}, "read --no-newline -- op://v/i/f"},
	} {
		value, err := read(t, c.settings, text)
		require.NoError(t, err, text)
		assert.Equal(t, c.args+"\n/home/daemon\nnone", value.Text)
	}
	_, err := read(t, source.Settings{OPBinary: path, OPTokenFile: "/nonexistent"}, "op://v/i/f")
	require.ErrorContains(t, err, "no token of a service account")
	_, err = read(t, source.Settings{OPBinary: path, OPTokenFile: write(t, "op", "t", 0o644)}, "op://v/i/f")
	require.Error(t, err, "a token that is there and cannot be used")
	require.NoError(t, os.Chmod(path, 0o777))
	_, err = read(t, source.Settings{PassBinary: path}, "pass:x")
	require.ErrorContains(t, err, "can be changed by others")
}

func TestAHelperPrintsAValueAndItsEnd(t *testing.T) {
	value, err := read(t, source.Settings{}, "exec-json:"+program(t, `echo '{"value":"`+secret+`","expires_at":"2999-01-02T03:04:05Z"}'`))
	require.NoError(t, err)
	assert.Equal(t, secret, value.Text)
	assert.Equal(t, 2999, value.Expires.Year())
	for name, text := range map[string]string{
		"it fails":         "echo " + secret + "; echo helper failed safely >&2; exit 1",
		"no JSON":          "echo " + secret,
		"unknown members":  `echo '{"value":"` + secret + `","x":1}'`,
		"it has expired":   `echo '{"value":"` + secret + `","expires_at":"2001-01-02T03:04:05Z"}'`,
		"it prints no end": "head -c 70000 /dev/zero",
	} {
		_, err := read(t, source.Settings{}, "exec-json:"+program(t, text))
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), secret, name)
		if name == "it fails" {
			assert.Contains(t, err.Error(), "helper failed safely")
		}
	}
}

func TestAProgramThatHangsIsKilledWithItsChildren(t *testing.T) {
	s, err := source.Parse("exec-json:" + program(t, "sleep 1000 & wait"))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = source.NewReader(source.Settings{}, os.Getenv).Read(ctx, s)
	require.ErrorContains(t, err, "timed out")
}
