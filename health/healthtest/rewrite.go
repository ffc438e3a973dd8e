package healthtest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// rewrite stores each case as its difference from the base above it.
func (f *file) rewrite(whole []expanded) {
	base := expanded{}
	for i := range f.Cases {
		c := &f.Cases[i]
		if c.Base {
			base = expanded{spec: f.Spec}
		}
		c.Spec, c.Facts, c.Want = whole[i].change(base)
		if c.Base {
			base = whole[i]
		}
	}
}

// text returns the file as YAML. Lists of short words stand on one line.
func (f *file) text() ([]byte, error) {
	var tree yaml.Node
	if err := tree.Encode(f); err != nil {
		return nil, err
	}
	inLines(&tree)
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(&tree); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// listWidth is the largest number of bytes of a list of scalars on one line.
const listWidth = 70

func inLines(node *yaml.Node) {
	width := 0
	for _, each := range node.Content {
		inLines(each)
		width += len(each.Value) + len(", ")
		if each.Kind != yaml.ScalarNode || strings.Contains(each.Value, "\n") {
			width = listWidth + 1
		}
	}
	if node.Kind == yaml.SequenceNode && width <= listWidth {
		node.Style = yaml.FlowStyle
	}
}

// plain returns a value as a YAML decoder returns it, in maps, lists and scalars.
func plain(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	var out any
	require.NoError(t, yaml.Unmarshal(text, &out))
	return out
}
