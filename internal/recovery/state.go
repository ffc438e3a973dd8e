package recovery

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const (
	releaseType  = "kubernetes:helm.sh/v3:Release"
	providerType = "pulumi:providers:kubernetes"
)

// state is the part of a stack's deployment that recovery reads.
type state struct {
	Resources []resource  `json:"resources"`
	Pending   []operation `json:"pending_operations"`
}

type resource struct {
	URN     string         `json:"urn"`
	Type    string         `json:"type"`
	Inputs  map[string]any `json:"inputs"`
	Outputs map[string]any `json:"outputs"`
}

type operation struct {
	Resource resource `json:"resource"`
	// Type is creating, updating, deleting, reading or importing.
	Type string `json:"type"`
}

// readState is the stack's state with its secrets, which stay in this process; nil when the stack has none.
func readState(ctx context.Context, pulumi Pulumi, stack string) (*state, error) {
	out, err := pulumi(ctx, nil, "stack", "export", "--stack", stack, "--show-secrets")
	if err != nil {
		if strings.Contains(err.Error(), "no stack named") {
			return nil, nil
		}
		return nil, err
	}
	var export struct {
		Deployment *state `json:"deployment"`
	}
	if err := json.Unmarshal(out, &export); err != nil {
		return nil, fmt.Errorf("state of stack %s: %w", stack, err)
	}
	return export.Deployment, nil
}

// known is true when the state has the resource.
func (s *state) known(urn string) bool {
	return slices.ContainsFunc(s.Resources, func(r resource) bool { return r.URN == urn })
}

// kubeconfig is the configuration of the stack's cluster, as its provider has it; empty before there is one.
func (s *state) kubeconfig() string {
	for _, r := range s.Resources {
		if text := r.text("kubeconfig"); r.Type == providerType && text != "" {
			return text
		}
	}
	return ""
}

// secretMark is the key by which Pulumi marks a secret, with its value in `plaintext` as JSON.
const secretMark = "4dabf18193072939515e22adb298388d"

// text is a text property, of the outputs or else the inputs.
func (r resource) text(name string) string {
	for _, properties := range []map[string]any{r.Outputs, r.Inputs} {
		switch value := properties[name].(type) {
		case string:
			return value
		case map[string]any:
			plain, _ := value["plaintext"].(string)
			var text string
			if value[secretMark] != nil && json.Unmarshal([]byte(plain), &text) == nil {
				return text
			}
		}
	}
	return ""
}
