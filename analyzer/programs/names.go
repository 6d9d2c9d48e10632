package programs

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Names is a list of names in a table, which may write it as one text, space-separated.
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
