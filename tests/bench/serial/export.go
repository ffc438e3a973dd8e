package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// resource is a resource of the compared stack.
type resource struct {
	name, kind string
	inputs     map[string]any
}

// platform holds the objects that the script installs, by their names in the stack.
type platform map[string]resource

const (
	commandToken = "command:local:Command"
	// secretMark is the key that marks a secret in Pulumi's export; its value's text is JSON.
	secretMark = "4dabf18193072939515e22adb298388d"
)

// readExport parses the output of `pulumi stack export --show-secrets`: releases, objects and
// gates.
func readExport(from io.Reader) (platform, error) {
	var export struct {
		Deployment struct {
			Resources []struct {
				URN, Type string
				Inputs    map[string]any
			}
		}
	}
	if err := json.NewDecoder(from).Decode(&export); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	all := platform{}
	for _, one := range export.Deployment.Resources {
		if !strings.HasPrefix(one.Type, "kubernetes:") && one.Type != commandToken {
			continue
		}
		inputs, err := shown(one.Inputs)
		if err != nil {
			return nil, fmt.Errorf("export: %s: %w", one.URN, err)
		}
		name := one.URN[strings.LastIndex(one.URN, "::")+2:]
		all[name] = resource{name, one.Type, inputs.(map[string]any)}
	}
	if len(all) == 0 {
		return nil, errors.New("export: no resource of a cluster; export the stack after its up")
	}
	return all, nil
}

// shown returns a value with plain values in place of secrets, and without keys that begin with __.
func shown(value any) (any, error) {
	switch typed := value.(type) {
	case map[string]any:
		if _, secret := typed[secretMark]; secret {
			text, plain := typed["plaintext"].(string)
			if !plain {
				return nil, errors.New("a secret without its text; export with --show-secrets")
			}
			var inner any
			if err := json.Unmarshal([]byte(text), &inner); err != nil {
				return nil, fmt.Errorf("a secret: %w", err)
			}
			return shown(inner)
		}
		made := map[string]any{}
		for key, inner := range typed {
			if strings.HasPrefix(key, "__") { // the engine's and the provider's own
				continue
			}
			var err error
			if made[key], err = shown(inner); err != nil {
				return nil, err
			}
		}
		return made, nil
	case []any:
		made := make([]any, len(typed))
		for i, inner := range typed {
			var err error
			if made[i], err = shown(inner); err != nil {
				return nil, err
			}
		}
		return made, nil
	}
	return value, nil
}

// release is a Helm release of the stack.
type release struct{ name, namespace, chart string }

func (r resource) release() (release, map[string]any) {
	text := func(key string) string { found, _ := r.inputs[key].(string); return found }
	values, _ := r.inputs["values"].(map[string]any)
	return release{text("name"), text("namespace"), text("chart")}, values
}

// covers checks that the script installs each Kubernetes object of the stack once, except those of
// MetalLB. A script that installs fewer would be faster.
func (p platform) covers(steps []step) error {
	used := map[string]int{}
	for _, step := range steps {
		for _, name := range slices.Concat(step.before, step.install, step.contested, step.apply) {
			used[name]++
		}
	}
	var wrong []error
	for name, times := range used {
		if _, there := p[name]; !there || times != 1 {
			wrong = append(wrong,
				fmt.Errorf("%s: the script has it %d times, and in the stack it is there: %t", name,
					times, there))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p)) {
		ours := strings.HasPrefix(p[name].kind, "kubernetes:") &&
			!strings.HasPrefix(name, "metallb-")
		if ours && used[name] == 0 {
			wrong = append(wrong, fmt.Errorf(
				"%s: the stack has it, and no step of the script", name))
		}
	}
	return errors.Join(wrong...)
}
