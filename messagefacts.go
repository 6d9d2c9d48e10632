package gavel

// MessageFacts is a message with directives.
type MessageFacts struct {
	// Mentioned is true if the message is addressed to the agent, also in a group.
	Mentioned  bool             `json:"mentioned"`
	Rest       bool             `json:"rest"` // the message has other text
	Directives []DirectiveFacts `json:"directives" nil:"empty"`
}

// DirectiveFacts is one directive, as it is written.
type DirectiveFacts struct {
	Name    string            `json:"name"` // exec, elevated or approve
	Options []DirectiveOption `json:"options" nil:"empty"`
	Level   string            `json:"level"`             // the level of elevated, in lower case; "" for none
	Words   []string          `json:"words" nil:"empty"` // the words after approve
	Problem string            `json:"problem"`           // why the directive cannot be read; "" if it can
}

// DirectiveOption is one option of exec.
type DirectiveOption struct {
	Key   string `json:"key"`
	Value string `json:"value"` // in lower case
}
