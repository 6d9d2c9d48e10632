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

// signatureFile is the file at the top of a policy in which opa sign and opa build write the
// signature.
const signatureFile = ".signatures.json"

// Key is a public key that verifies the signature of a policy, as opa sign and opa build write it.
type Key struct {
	text       string   // in PEM
	algorithms []string // of signatures by a key of this kind
}

// ReadKey reads a public key in PEM.
func ReadKey(file string) (*Key, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the verification key: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("read the verification key: %s is not in PEM", file)
	}
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read the verification key: %s is not a public key: %w", file, err)
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
		return nil, fmt.Errorf("read the verification key: %s has a key of an unknown kind", file)
	}
	return key, nil
}

// isSignatureFile reports whether a file has the signatures of a policy.
func isSignatureFile(name string) bool { return strings.EqualFold(path.Base(name), signatureFile) }

// addSignatures reads the file with the signatures, which is not part of the policy.
func (f *fileReader) addSignatures(relative, name string, content io.Reader) error {
	if err := f.cfg.checkSigned(relative, name); err != nil {
		return err
	}
	if f.signatures != nil {
		return newPolicyError(name, "the policy has two signatures", "keep one")
	}
	text, err := io.ReadAll(io.LimitReader(content, maxFileBytes))
	f.signatures = append([]byte{}, text...)
	return err
}

func (f *fileReader) addSignatureFile(relative, name string) error {
	content, err := openFile(name)
	if err != nil {
		return err
	}
	defer content.Close()
	return f.addSignatures(relative, relative, content)
}

// checkSigned refuses a signature file that is not verified: whoever signed the policy expects that it
// is.
func (c Config) checkSigned(relative, name string) error {
	if c.Key == nil {
		return newPolicyError(name, "the policy is signed, but no key is named to verify it", "name the public key with --verification-key FILE; hooks and gavel run ask a gavel serve that has it")
	}
	if relative != signatureFile {
		return newPolicyError(name, "the signature is not at the top of the policy", "sign the policy as a whole: opa sign --bundle .")
	}
	return nil
}

// verifySignature refuses a policy that the key did not sign: without a signature, or with an added, a
// changed or a missing file. signatures is the content of the signature file, or nil. Files that are
// not part of a policy, such as a README, may change. Without a key, everything is accepted.
func (c Config) verifySignature(own files, signatures []byte) error {
	switch {
	case c.Key == nil:
		return nil
	case signatures == nil:
		return newPolicyError(c.Path, "the policy is not signed, but a key is named to verify it", "sign it with opa sign or opa build, or leave out --verification-key")
	}
	invalid := func(err error) error {
		return newPolicyError(c.Path, "the signature of the policy is invalid: "+err.Error(), "sign it again, with the private key that belongs to --verification-key")
	}
	var config bundle.SignaturesConfig
	if err := json.Unmarshal(signatures, &config); err != nil {
		return invalid(err)
	}
	config.Plugin = "" // a policy must not choose another verifier than OPA's default
	algorithm, err := c.Key.algorithm(config.Signatures)
	if err != nil {
		return invalid(err)
	}
	const id = "gavel"
	signed, err := bundle.VerifyBundleSignature(config, bundle.NewVerificationConfig(
		map[string]*bundle.KeyConfig{id: {Key: c.Key.text, Algorithm: algorithm}}, id, "", nil))
	if err != nil {
		return invalid(err)
	}
	listed := map[string]bundle.FileInfo{}
	for name, file := range signed {
		listed[path.Clean(strings.TrimPrefix(name, "/"))] = file
	}
	return compareSigned(own, listed)
}

// compareSigned compares the files of a policy with those that a valid signature lists.
func compareSigned(own files, listed map[string]bundle.FileInfo) error {
	var problems []gavel.Problem
	for _, name := range own.names() {
		if err := bundle.VerifyBundleFile(name, *bytes.NewBuffer(own[name]), listed); err != nil {
			problems = append(problems, gavel.Problem{File: name, Message: "the signature does not cover this file as it is: " + err.Error(),
				Fix: "sign the policy again, or restore the file"})
		}
		delete(listed, name)
	}
	for name := range listed {
		if isPolicyFile(name) && !isIgnored(name) {
			problems = append(problems, gavel.Problem{File: name, Message: "the signature covers this file, but it is missing",
				Fix: "sign the policy again, or restore the file"})
		}
	}
	slices.SortFunc(problems, func(a, b gavel.Problem) int { return strings.Compare(a.File, b.File) })
	return policyError(problems)
}

// algorithm returns the algorithm that the header of the only signature names. It returns an error if
// a key of this kind cannot have made it, so that a public key never serves as a shared secret.
func (k *Key) algorithm(tokens []string) (string, error) {
	if len(tokens) != 1 {
		return "", fmt.Errorf("there are %d signatures instead of one", len(tokens))
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
		return "", fmt.Errorf("its algorithm is %q, but the key is for %s", header.Algorithm, strings.Join(k.algorithms, ", "))
	}
	return header.Algorithm, nil
}
