package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
	return exportState(ctx, project, stack, "--show-secrets")
}

// exportState reads a stack's state; without a flag its secrets stay encrypted.
func exportState(ctx context.Context, project, stack string, flags ...string) ([]byte, error) {
	return pulumiOutput(ctx, project, append([]string{"stack", "export", "--stack", stack}, flags...)...)
}

// pulumiOutput is what a command of Pulumi prints.
func pulumiOutput(ctx context.Context, project string, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "pulumi", append([]string{"-C", project}, arguments...)...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("pulumi %s: %w: %s", strings.Join(arguments, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), nil
}

// recordedResource is a resource as the state has it.
type recordedResource struct {
	URN          string         `json:"urn"`
	Type         string         `json:"type"`
	Delete       bool           `json:"delete"`
	Inputs       map[string]any `json:"inputs"`
	Outputs      map[string]any `json:"outputs"`
	Dependencies []string       `json:"dependencies"`
}

// text is an input that is a text; empty when it is none.
func (r recordedResource) text(input string) string {
	text, _ := r.Inputs[input].(string)
	return text
}

// runs says whether the resource is a command that runs a verb of this program, for example "vault configure".
func (r recordedResource) runs(verb string) bool {
	return r.Type == localCommand && strings.HasSuffix(strings.TrimSpace(r.text("create")), "strata "+verb)
}

// environment is a variable of the command's environment; empty when it has none.
func (r recordedResource) environment(name string) string {
	environment, _ := r.Inputs["environment"].(map[string]any)
	value, _ := environment[name].(string)
	return value
}

// localCommand is the type of a command that runs on this machine.
const localCommand = "command:local:Command"

// allIn reads every resource from an exported state, in its order, which is the order of creation.
func allIn(state []byte) ([]recordedResource, error) {
	var export struct {
		Deployment struct {
			Resources []recordedResource `json:"resources"`
		} `json:"deployment"`
	}
	if err := json.Unmarshal(state, &export); err != nil {
		return nil, fmt.Errorf("exported state: %w", err)
	}
	return export.Deployment.Resources, nil
}

// resourcesIn are the resources of one type in an exported state, with their secrets revealed. What a replacement has left to
// delete is not among them.
func resourcesIn(state []byte, kind string) ([]recordedResource, error) {
	resources, err := allIn(state)
	if err != nil {
		return nil, err
	}
	var found []recordedResource
	for _, resource := range resources {
		if resource.Type != kind || resource.Delete {
			continue
		}
		if _, err := reveal(resource.Inputs); err != nil {
			return nil, fmt.Errorf("state of %s: %w", resource.URN, err)
		}
		found = append(found, resource)
	}
	return found, nil
}

// gatesIn finds the gates in an exported state.
func gatesIn(state []byte) ([]recordedGate, error) {
	commands, err := resourcesIn(state, localCommand)
	if err != nil {
		return nil, err
	}
	var gates []recordedGate
	for _, command := range commands {
		if !command.runs("gate") {
			continue
		}
		spec, err := health.ParseSpec([]byte(command.text("stdin")))
		if err != nil {
			return nil, fmt.Errorf("state of %s: %w; run pulumi up with this version of the program", command.URN, err)
		}
		gates = append(gates, recordedGate{spec: spec, secrets: secretsFrom(command.environment)})
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

// outputsIn are the stack's outputs in an exported state; those that are secret are not readable.
func outputsIn(state []byte) (map[string]any, error) {
	resources, err := allIn(state)
	if err != nil {
		return nil, err
	}
	for _, resource := range resources {
		if resource.Type == "pulumi:pulumi:Stack" {
			return resource.Outputs, nil
		}
	}
	return nil, errors.New("the stack is empty; run pulumi up")
}
