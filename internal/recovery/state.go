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

// clearPending takes the interrupted operations out of the state. The next up repeats them: its program still wants them.
// It edits the export and not `pulumi refresh --clear-pending-creates`, which would first ask every provider about every
// resource, on hosts and a cluster that may be down.
func (r *Recovery) clearPending(ctx context.Context, before *state) error {
	if len(before.Pending) == 0 {
		return nil
	}
	// Without --show-secrets: what is written back stays encrypted.
	out, err := r.Pulumi(ctx, nil, "stack", "export", "--stack", r.Stack)
	if err != nil {
		return err
	}
	cleared, err := withoutPending(out)
	if err != nil {
		return fmt.Errorf("state of stack %s: %w", r.Stack, err)
	}
	if _, err := r.Pulumi(ctx, cleared, "stack", "import", "--stack", r.Stack); err != nil {
		return err
	}
	for _, pending := range before.Pending {
		r.did("forgot the interrupted %s of %s; the next up repeats it", noun(pending.Type), pending.Resource.URN)
	}
	return nil
}

// withoutPending removes the operations from an export and keeps everything else as it is.
func withoutPending(export []byte) ([]byte, error) {
	var whole, deployment map[string]json.RawMessage
	if err := json.Unmarshal(export, &whole); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(whole["deployment"], &deployment); err != nil {
		return nil, err
	}
	delete(deployment, "pending_operations")
	text, err := json.Marshal(deployment)
	if err != nil {
		return nil, err
	}
	whole["deployment"] = text
	return json.Marshal(whole)
}

func noun(operation string) string {
	nouns := map[string]string{
		"creating": "create", "updating": "update", "deleting": "delete", "reading": "read", "importing": "import",
	}
	if noun, ok := nouns[operation]; ok {
		return noun
	}
	return operation
}
