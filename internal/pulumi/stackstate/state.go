package stackstate

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"strata/internal/pulumi/statelayout"
)

const (
	// LocalCommand is the type of commands that run on this machine.
	LocalCommand = "command:local:Command"
	// HelmRelease is the type of Helm releases.
	HelmRelease = "kubernetes:helm.sh/v3:Release"
)

// State is a stack's state.
type State struct {
	// Resources are in the order of their creation. They include old resources that a replacement
	// has yet to delete.
	Resources []Resource
	// Pending are the operations that an interrupted run did not complete.
	Pending []Operation
}

// Resource is a resource in the state. Its secrets are plain values, unless the state was exported
// encrypted.
type Resource struct{ apitype.ResourceV3 }

// Operation is an operation of the engine on a resource that an interrupted run did not complete.
type Operation struct {
	Type     apitype.OperationType
	Resource Resource
}

// Parse reads a state that was exported with its secrets.
func Parse(export []byte) (*State, error) {
	state, err := parse(export)
	if err != nil {
		return nil, err
	}
	for _, one := range state.allResources() {
		if err := one.reveal(); err != nil {
			return nil, fmt.Errorf("state of %s: %w", one.URN, err)
		}
	}
	return state, nil
}

// parse reads an exported state and keeps secrets as they are.
func parse(export []byte) (*State, error) {
	var untyped apitype.UntypedDeployment
	if err := json.Unmarshal(export, &untyped); err != nil {
		return nil, fmt.Errorf("exported state: %w", err)
	}
	var deployment apitype.DeploymentV3
	if untyped.Deployment != nil {
		if err := json.Unmarshal(untyped.Deployment, &deployment); err != nil {
			return nil, fmt.Errorf("exported state: %w", err)
		}
	}
	state := &State{}
	for _, one := range deployment.Resources {
		state.Resources = append(state.Resources, Resource{one})
	}
	for _, one := range deployment.PendingOperations {
		state.Pending = append(state.Pending, Operation{one.Type, Resource{one.Resource}})
	}
	return state, nil
}

// allResources returns the resources of the state, and those of its pending operations.
func (s *State) allResources() []Resource {
	all := slices.Clone(s.Resources)
	for _, pending := range s.Pending {
		all = append(all, pending.Resource)
	}
	return all
}

// CheckLayout returns an error if the state of a stack has resources of another layout.
func (s *State) CheckLayout(stack string) error {
	var urns []string
	for _, one := range s.allResources() {
		urns = append(urns, string(one.URN))
	}
	return statelayout.Check(stack, urns)
}

// Has reports whether the state has the resource.
func (s *State) Has(name urn.URN) bool {
	return slices.ContainsFunc(s.Resources, func(r Resource) bool { return r.URN == name })
}

// Lookup returns the first resource of that name; ok is false if there is none.
func (s *State) Lookup(name string) (found Resource, ok bool) {
	i := slices.IndexFunc(s.Resources, func(r Resource) bool {
		return strings.HasSuffix(string(r.URN), urn.NameDelimiter+name)
	})
	if i < 0 {
		return Resource{}, false
	}
	return s.Resources[i], true
}

// Outputs returns the stack's outputs. It fails if the stack is not deployed.
func (s *State) Outputs() (map[string]any, error) {
	stacks := s.OfType(string(resource.RootStackType))
	if len(stacks) == 0 {
		return nil, errors.New("the stack is empty; run pulumi up")
	}
	return stacks[0].Outputs, nil
}

// OfType returns the resources of a type, without those that a replacement has yet to delete.
func (s *State) OfType(token string) []Resource {
	return slices.DeleteFunc(slices.Clone(s.Resources), func(r Resource) bool {
		return r.Delete || string(r.Type) != token
	})
}

// Commands returns the commands that run a subcommand of this program, for example "vault
// configure". It leaves out those that a replacement has yet to delete.
func (s *State) Commands(subcommand string) []Resource {
	return slices.DeleteFunc(s.OfType(LocalCommand),
		func(r Resource) bool { return !r.Runs(subcommand) })
}

// Runs reports whether the resource is a command that runs a subcommand of this program.
func (r Resource) Runs(subcommand string) bool {
	return r.Type == LocalCommand && strings.HasSuffix(strings.TrimSpace(r.Input("create")),
		"strata "+subcommand)
}

// Input returns an input that is a text; otherwise it is empty.
func (r Resource) Input(name string) string { return text(r.Inputs[name]) }

// Output returns an output that is a text; otherwise it is empty.
func (r Resource) Output(name string) string { return text(r.Outputs[name]) }

// Environment returns a variable of a command's environment; empty if there is none.
func (r Resource) Environment(name string) string {
	environment, _ := r.Inputs["environment"].(map[string]any)
	return text(environment[name])
}

func text(value any) string {
	text, _ := value.(string)
	return text
}
