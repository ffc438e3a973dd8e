package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"

	"strata/health"
)

// secretSignature marks a secret in an exported state; its plaintext is JSON inside a JSON string.
const secretSignature = "1b47061264138c4ac30d75fd1eb44270"

// signatureKey is the key that marks values with a special meaning in a state.
const signatureKey = "4dabf18193072939515e22adb298388d"

// recordedGate is a gate as the state has it.
type recordedGate struct {
	spec    health.Spec
	secrets health.Secrets
}

// exportStack reads a stack's state with its secrets, which stay in this process.
func exportStack(ctx context.Context, project, stack string) ([]byte, error) {
	export := exec.CommandContext(ctx, "pulumi", "-C", project, "stack", "export", "--stack", stack, "--show-secrets")
	var stdout, stderr bytes.Buffer
	export.Stdout, export.Stderr = &stdout, &stderr
	if err := export.Run(); err != nil {
		return nil, fmt.Errorf("pulumi stack export --stack %s: %w: %s", stack, err, strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), nil
}

// gatesIn finds the gates in an exported state, in its order, which is the order of creation.
func gatesIn(state []byte) ([]recordedGate, error) {
	var export struct {
		Deployment struct {
			Resources []struct {
				URN    string         `json:"urn"`
				Type   string         `json:"type"`
				Delete bool           `json:"delete"`
				Inputs map[string]any `json:"inputs"`
			} `json:"resources"`
		} `json:"deployment"`
	}
	if err := json.Unmarshal(state, &export); err != nil {
		return nil, fmt.Errorf("exported state: %w", err)
	}
	var gates []recordedGate
	for _, resource := range export.Deployment.Resources {
		inputs, err := reveal(resource.Inputs)
		if err != nil {
			return nil, fmt.Errorf("state of %s: %w", resource.URN, err)
		}
		values, _ := inputs.(map[string]any)
		create, _ := values["create"].(string)
		if resource.Type != "command:local:Command" || resource.Delete || !strings.HasSuffix(strings.TrimSpace(create), "strata gate") {
			continue
		}
		stdin, _ := values["stdin"].(string)
		spec, err := health.ParseSpec([]byte(stdin))
		if err != nil {
			return nil, fmt.Errorf("state of %s: %w; run pulumi up with this version of the program", resource.URN, err)
		}
		environment, _ := values["environment"].(map[string]any)
		gates = append(gates, recordedGate{spec: spec, secrets: secretsFrom(func(name string) string {
			value, _ := environment[name].(string)
			return value
		})})
	}
	return gates, nil
}

// reveal replaces every secret in a value of the state by what it holds.
func reveal(value any) (any, error) {
	switch value := value.(type) {
	case map[string]any:
		if value[signatureKey] == secretSignature {
			text, plain := value["plaintext"].(string)
			if !plain {
				return nil, fmt.Errorf("a secret is still encrypted; expected the output of --show-secrets")
			}
			var inner any
			if err := json.Unmarshal([]byte(text), &inner); err != nil {
				return nil, fmt.Errorf("a secret is not JSON") // The parser's error would quote it.
			}
			return reveal(inner)
		}
		for key := range value {
			inner, err := reveal(value[key])
			if err != nil {
				return nil, err
			}
			value[key] = inner
		}
	case []any:
		for i := range value {
			inner, err := reveal(value[i])
			if err != nil {
				return nil, err
			}
			value[i] = inner
		}
	}
	return value, nil
}
