package bundles_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/bundles"
)

// signer is a pair of keys in PEM. file has the public key.
type signer struct{ private, public, file string }

func newSigner(t *testing.T) signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	private, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	require.NoError(t, err)
	s := signer{private: string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})),
		public: string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})), file: filepath.Join(t.TempDir(), "key.pem")}
	require.NoError(t, os.WriteFile(s.file, []byte(s.public), 0o600))
	return s
}

// sign signs files of a directory, as opa sign does.
func (s signer) sign(t *testing.T, dir, algorithm, key string, names ...string) {
	t.Helper()
	hasher, err := bundle.NewSignatureHasher(bundle.SHA256)
	require.NoError(t, err)
	var list []bundle.FileInfo
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		var content any = text
		if bundle.IsStructuredDoc(name) {
			require.NoError(t, json.Unmarshal(text, &content))
		}
		sum, err := hasher.HashFile(content)
		require.NoError(t, err)
		list = append(list, bundle.NewFile("./"+name, hex.EncodeToString(sum), "SHA-256"))
	}
	token, err := bundle.GenerateSignedToken(list, bundle.NewSigningConfig(key, algorithm, ""), "")
	require.NoError(t, err)
	writeFile(t, filepath.Join(dir, ".signatures.json"), `{"signatures":["`+token+`"]}`)
}

func TestASignedPolicyIsVerified(t *testing.T) {
	t.Parallel()
	const rule = "package custom\n\ndeny contains {\"code\": \"a.b\", \"message\": \"no\", \"fix\": \"none\"} if input.tool.name == \"exec\"\n"
	files := []string{"config.yaml", "custom.rego", ".manifest", "README.md"}
	s, other := newSigner(t), newSigner(t)
	for about, c := range map[string]struct {
		key    string
		tamper func(dir string)
		want   string // part of the problem; "" means none
	}{
		"unchanged":                     {s.file, func(string) {}, ""},
		"a changed README":              {s.file, func(dir string) { writeFile(t, filepath.Join(dir, "README.md"), "changed") }, ""},
		"no key":                        {"", func(string) {}, "no key is named to verify it"},
		"another key":                   {other.file, func(string) {}, "the signature of the policy is invalid"},
		"a changed configuration":       {s.file, func(dir string) { writeFile(t, filepath.Join(dir, "config.yaml"), plainConfig+"# x\n") }, "config.yaml: the signature does not cover this file as it is"},
		"a rule that was removed":       {s.file, func(dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "custom.rego"))) }, "custom.rego: the signature covers this file, but it is missing"},
		"a rule that was added":         {s.file, func(dir string) { writeFile(t, filepath.Join(dir, "x.rego"), "package custom.x\n") }, "x.rego: the signature does not cover this file as it is"},
		"no signature":                  {s.file, func(dir string) { require.NoError(t, os.Remove(filepath.Join(dir, ".signatures.json"))) }, "the policy is not signed"},
		"no signature in the file":      {s.file, func(dir string) { writeFile(t, filepath.Join(dir, ".signatures.json"), "{}") }, "there are 0 signatures"},
		"a signature in a subdirectory": {s.file, func(dir string) { writeFile(t, filepath.Join(dir, "custom/.signatures.json"), "{}") }, "not at the top of the policy"},
		"the public key as a secret":    {s.file, func(dir string) { s.sign(t, dir, "HS256", s.public, files...) }, `its algorithm is "HS256"`},
		"no algorithm": {s.file, func(dir string) {
			text, err := os.ReadFile(filepath.Join(dir, ".signatures.json"))
			require.NoError(t, err)
			parts := strings.Split(strings.Split(string(text), `"`)[3], ".")
			head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
			writeFile(t, filepath.Join(dir, ".signatures.json"), `{"signatures":["`+head+"."+parts[1]+`."]}`)
		}, `its algorithm is "none"`},
		"another verification plugin": {s.file, func(dir string) {
			s.sign(t, dir, "HS256", s.public, files...)
			writeFile(t, filepath.Join(dir, ".signatures.json"), `{"plugin":"mine","signatures":["a.b.c"]}`)
		}, "the signature of the policy is invalid"},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			dir := policyDir(t, "config.yaml", plainConfig, "custom.rego", rule, ".manifest", `{"roots": ["custom"]}`, "README.md", "read")
			s.sign(t, dir, "ES256", s.private, files...)
			c.tamper(dir)
			for _, packed := range []bool{false, true} {
				cfg := shipped(dir)
				if packed {
					cfg.Path = archiveOf(t, dir)
				}
				if c.key != "" {
					key, err := bundles.ReadKey(c.key)
					require.NoError(t, err)
					cfg.Key = key
				}
				_, err := bundles.Load(t.Context(), cfg)
				if c.want == "" {
					require.NoError(t, err, "packed: %v", packed)
					continue
				}
				assert.ErrorContains(t, err, c.want, "packed: %v", packed)
			}
		})
	}
}

// archiveOf packs a directory, as tar czf -C DIR . does.
func archiveOf(t *testing.T, dir string) string {
	t.Helper()
	contents := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		require.NoError(t, err)
		text, err := os.ReadFile(name)
		contents["./"+relative] = string(text)
		return err
	}))
	archive := filepath.Join(t.TempDir(), "policy.tar.gz")
	writeArchive(t, archive, contents)
	return archive
}

func TestAVerificationKeyIsAPublicKey(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	_, err := bundles.ReadKey(s.file)
	require.NoError(t, err)
	for about, text := range map[string]string{"a private key": s.private, "a secret": "secret", "nothing": ""} {
		file := filepath.Join(t.TempDir(), "key")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := bundles.ReadKey(file)
		assert.ErrorContains(t, err, "read the verification key", about)
	}
	_, err = bundles.ReadKey(filepath.Join(t.TempDir(), "absent"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
