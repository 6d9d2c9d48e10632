package bundles

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/bundle"

	"gavel"
)

// signaturesFile is where opa sign and opa build put the signature, at the top of a policy.
const signaturesFile = ".signatures.json"

// Key verifies the signature of a policy, as opa sign and opa build write it.
type Key struct {
	text       string   // in PEM
	algorithms []string // that a key of its kind can have; the first one where nothing is said
}

// ReadKey reads a public key in PEM.
func ReadKey(file string) (*Key, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the key of policies: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("read the key of policies: %s is not in PEM", file)
	}
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read the key of policies: %s is not a public key: %w", file, err)
	}
	key := &Key{text: string(text)}
	switch kind := public.(type) {
	case *rsa.PublicKey:
		key.algorithms = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}
	case *ecdsa.PublicKey:
		key.algorithms = []string{map[int]string{256: "ES256", 384: "ES384", 521: "ES512"}[kind.Params().BitSize]}
	case ed25519.PublicKey:
		key.algorithms = []string{"EdDSA"}
	default:
		return nil, fmt.Errorf("read the key of policies: %s has a key of an unknown kind", file)
	}
	return key, nil
}

// signature reports whether a file holds the signatures of a bundle.
func signature(name string) bool { return strings.EqualFold(path.Base(name), signaturesFile) }

// addSignatures keeps the signatures, which are not part of the policy.
func (f *reading) addSignatures(relative, name string, content io.Reader) error {
	if err := f.cfg.signed(relative, name); err != nil {
		return err
	}
	if f.signatures != nil {
		return problem(name, "the policy has two signatures", "keep one")
	}
	text, err := io.ReadAll(io.LimitReader(content, maxFileBytes))
	f.signatures = append([]byte{}, text...)
	return err
}

func (f *reading) addSignatureFile(relative, name string) error {
	content, err := openFile(name)
	if err != nil {
		return err
	}
	defer content.Close()
	return f.addSignatures(relative, relative, content)
}

// signed refuses a file with signatures that nobody verifies: whoever signed the policy expects it.
func (c Config) signed(relative, name string) error {
	if c.Key == nil {
		return problem(name, "the policy is signed, and no key is named that verifies it", "name the public key with --verification-key FILE; hooks and gavel run ask a gavel serve that has it")
	}
	if relative != signaturesFile {
		return problem(name, "the signature is not at the top of the policy", "sign the policy as a whole: opa sign --bundle .")
	}
	return nil
}

// verified refuses what the key did not sign: a policy without a signature, a file that is not in it or
// has another content, and a file that is missing. signatures is nil for none. Files that are not part
// of a policy, such as a README, do not matter.
func (c Config) verified(own files, signatures []byte) error {
	switch {
	case c.Key == nil:
		return nil
	case signatures == nil:
		return problem(c.Path, "the policy is not signed, and a key is named that must verify it", "sign it with opa sign or opa build, or leave out --verification-key")
	}
	wrong := func(err error) error {
		return problem(c.Path, "the signature of the policy does not hold: "+err.Error(), "sign it again, with the key that belongs to --verification-key")
	}
	var config bundle.SignaturesConfig
	if err := json.Unmarshal(signatures, &config); err != nil {
		return wrong(err)
	}
	config.Plugin = "" // OPA's own way of verifying, and no other
	algorithm, err := c.Key.algorithm(config.Signatures)
	if err != nil {
		return wrong(err)
	}
	const id = "gavel"
	said, err := bundle.VerifyBundleSignature(config, bundle.NewVerificationConfig(
		map[string]*bundle.KeyConfig{id: {Key: c.Key.text, Algorithm: algorithm}}, id, "", nil))
	if err != nil {
		return wrong(err)
	}
	listed := map[string]bundle.FileInfo{}
	for name, file := range said {
		listed[path.Clean(strings.TrimPrefix(name, "/"))] = file
	}
	return c.matches(own, listed)
}

// matches compares the files of a policy with those of a signature that holds.
func (c Config) matches(own files, listed map[string]bundle.FileInfo) error {
	var wrong []gavel.Problem
	for _, name := range own.names() {
		if err := bundle.VerifyBundleFile(name, *bytes.NewBuffer(own[name]), listed); err != nil {
			wrong = append(wrong, gavel.Problem{File: name, Message: "the signature does not cover this file as it is: " + err.Error(),
				Fix: "sign the policy again, or put the file back"})
		}
		delete(listed, name)
	}
	for name := range listed {
		if relevant(name) && !ignored(name) {
			wrong = append(wrong, gavel.Problem{File: name, Message: "the signature covers this file, and it is missing",
				Fix: "sign the policy again, or put the file back"})
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	slices.SortFunc(wrong, func(a, b gavel.Problem) int { return strings.Compare(a.File, b.File) })
	return &gavel.PolicyError{Problems: wrong}
}

// algorithm returns that of a signature, if the key can have made it.
func (k *Key) algorithm(tokens []string) (string, error) {
	if len(tokens) != 1 {
		return "", fmt.Errorf("there are %d signatures, and not one", len(tokens))
	}
	head, _, _ := strings.Cut(tokens[0], ".")
	text, err := base64.RawURLEncoding.DecodeString(head)
	if err != nil {
		return "", errors.New("it is not a JWT")
	}
	var header struct {
		Algorithm string `json:"alg"`
	}
	if err := json.Unmarshal(text, &header); err != nil {
		return "", errors.New("it is not a JWT")
	}
	if !slices.Contains(k.algorithms, header.Algorithm) {
		return "", fmt.Errorf("its algorithm is %q, and the key is for %s", header.Algorithm, strings.Join(k.algorithms, ", "))
	}
	return header.Algorithm, nil
}
