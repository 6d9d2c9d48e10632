package programs

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Names is a list of names in a table. It may be written as one space-separated text.
type Names []string

// UnmarshalYAML implements [yaml.Unmarshaler].
func (n *Names) UnmarshalYAML(node *yaml.Node) error {
	var text string
	if err := node.Decode(&text); err != nil {
		return err
	}
	*n = strings.Fields(text)
	return nil
}
