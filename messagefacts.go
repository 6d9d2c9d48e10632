package gavel

// MessageFacts is a message with directives.
type MessageFacts struct {
	// Mentioned is true if the message is addressed to the agent, in a group too.
	Mentioned  bool             `json:"mentioned"`
	Rest       bool             `json:"rest"` // there is other text
	Directives []DirectiveFacts `json:"directives" nil:"empty"`
}

// DirectiveFacts is one directive, as it is written.
type DirectiveFacts struct {
	Name    string            `json:"name"` // exec, elevated or approve
	Options []DirectiveOption `json:"options" nil:"empty"`
	Level   string            `json:"level"`             // of elevated, in lower case; "" for none
	Words   []string          `json:"words" nil:"empty"` // of approve
	Problem string            `json:"problem"`           // why it cannot be read; "" if it can
}

// DirectiveOption is one option of exec.
type DirectiveOption struct {
	Key   string `json:"key"`
	Value string `json:"value"` // in lower case
}
