package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// marshalFlow writes a value on one line, in flow style.
func (s *source) marshalFlow(value any) (string, error) {
	if s.json {
		text, err := json.Marshal(value)
		if err != nil {
			return "", fmt.Errorf("write the value: %w", err)
		}
		return string(text), nil
	}
	n, err := flowNode(value)
	if err != nil {
		return "", err
	}
	text, err := yaml.Marshal(&yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: []*yaml.Node{n}})
	if err != nil {
		return "", fmt.Errorf("write the value: %w", err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(string(text)), "["), "]"), nil
}

// flowNode returns the YAML node of a value in flow style.
func flowNode(value any) (*yaml.Node, error) {
	n := &yaml.Node{}
	switch value := value.(type) {
	case map[string]any:
		n.Kind, n.Style = yaml.MappingNode, yaml.FlowStyle
		for _, key := range orderedKeys(value) {
			inner, err := flowNode(value[key])
			if err != nil {
				return nil, err
			}
			name, err := flowNode(key)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, name, inner)
		}
	case []any:
		n.Kind, n.Style = yaml.SequenceNode, yaml.FlowStyle
		for _, item := range value {
			inner, err := flowNode(item)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, inner)
		}
	default:
		if err := n.Encode(value); err != nil {
			return nil, fmt.Errorf("write the value: %w", err)
		}
	}
	return n, nil
}

// orderedKeys returns the keys of a mapping. Those of a rule come first, in their usual order.
func orderedKeys(value map[string]any) []string {
	var keys []string
	for _, key := range []string{"program", "commands", "options", "operands", "accepts", "effect"} {
		if _, there := value[key]; there {
			keys = append(keys, key)
		}
	}
	var others []string
	for key := range value {
		if !slices.Contains(keys, key) {
			others = append(others, key)
		}
	}
	slices.Sort(others)
	return append(keys, others...)
}

// valueNode returns the tree of a value of JSON types.
func valueNode(value any) (*node, error) {
	switch value := value.(type) {
	case string:
		return &node{kind: text, text: value}, nil
	case bool:
		return &node{kind: boolean, truth: value}, nil
	case []any:
		n := &node{kind: list}
		for _, item := range value {
			inner, err := valueNode(item)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, inner)
		}
		return n, nil
	case map[string]any:
		n := &node{kind: mapping}
		for _, key := range orderedKeys(value) {
			inner, err := valueNode(value[key])
			if err != nil {
				return nil, err
			}
			n.fields = append(n.fields, field{key: key, value: inner})
		}
		return n, nil
	}
	return nil, fmt.Errorf("a value of type %T cannot be written", value)
}
