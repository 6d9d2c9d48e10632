// Package clientcases holds what the clients in Go, TypeScript and Python are tested with: the
// cases of clients/cases.json, a real gavel serve, a server that answers what a case says,
// and a person who answers questions.
package clientcases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Case is one case of clients/cases.json. Its name says what it shows.
type Case struct {
	Name    string          `json:"name"`
	Via     string          `json:"via"`   // url, socket, scripted, nowhere, nosocket
	Token   string          `json:"token"` // "" for a gateway's, or none, wrong, empty, missing
	Op      string          `json:"op"`    // decide, authorize
	Call    json.RawMessage `json:"call"`  // $DIR in it is the directory of the case
	Person  string          `json:"person"`
	Comment string          `json:"comment"`
	// TimeoutMs limits the decision; 0 leaves the time that a busy machine needs.
	TimeoutMs int      `json:"timeoutMs"`
	Respond   *Respond `json:"respond"`
	Expect    Expect   `json:"expect"`
}

// Respond is what the scripted server answers; $CALL in the body is the id of the call.
type Respond struct {
	Status   int    `json:"status"`
	Type     string `json:"type"`
	Location string `json:"location"`
	Body     string `json:"body"`
	DelayMs  int    `json:"delayMs"` // before the answer
	Hang     bool   `json:"hang"`    // the body is begun, and never ends
	Cut      bool   `json:"cut"`     // the connection ends before the body
}

// Expect is what must happen; members that are not given are not compared.
type Expect struct {
	Decision  string            `json:"decision"`  // of decide
	Error     bool              `json:"error"`     // there is no decision
	Status    int               `json:"status"`    // of the error
	Refused   string            `json:"refused"`   // authorize refuses, with this effect
	Code      string            `json:"code"`      // of a reason of the refusal
	Comment   string            `json:"comment"`   // of the person
	Permitted bool              `json:"permitted"` // authorize permits
	NoCommand bool              `json:"noCommand"` // and there is no command to run
	Words     []string          `json:"words"`     // of the program that runs
	Env       map[string]string `json:"env"`       // variables that it gets
	File      string            `json:"file"`      // that it makes in the directory of the case
}

// Read reads the cases below root, the directory of the repository.
func Read(root string) ([]Case, error) {
	text, err := os.ReadFile(filepath.Join(root, "clients", "cases.json"))
	if err != nil {
		return nil, fmt.Errorf("read the cases of the clients: %w", err)
	}
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.DisallowUnknownFields()
	var cases []Case
	if err := reader.Decode(&cases); err != nil {
		return nil, fmt.Errorf("read clients/cases.json: %w", err)
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("read clients/cases.json: there are no cases")
	}
	return cases, nil
}
