package grant

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Obligations returns the hash of each obligation: a member of a decision's exec that says how to run
// the command, such as its sandbox or where it may write. Each is hashed in JSON according to RFC 8785.
//
// They are not part of the binding. A binding is what a person's answer covers, and stays the same
// when the policy becomes stricter; obligations are what the policy demands when the answer is used.
func Obligations(members map[string]any) (map[string]string, error) {
	hashes := make(map[string]string, len(members))
	for name, value := range members {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("the obligation %s is not JSON: %w", name, err)
		}
		raw := jsontext.Value(text)
		if err := raw.Canonicalize(); err != nil {
			return nil, fmt.Errorf("the obligation %s is not JSON: %w", name, err)
		}
		sum := sha256.Sum256(raw)
		hashes[name] = hex.EncodeToString(sum[:])
	}
	return hashes, nil
}

// CheckObligations compares the obligations of the grant with those that are about to be met. The
// error is *Error, and names those that differ, or that only one of them has.
func (c *Claims) CheckObligations(hashes map[string]string) error {
	var names []string
	for name, hash := range c.Obligations {
		if hashes[name] != hash {
			names = append(names, name)
		}
	}
	for name := range hashes {
		if _, granted := c.Obligations[name]; !granted {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return &Error{Code: CodeMismatch, Message: "the grant was issued with other obligations: " + strings.Join(names, ", "), Fields: names}
}
