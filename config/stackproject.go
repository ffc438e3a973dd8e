package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	sdkconfig "github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// applyProject gives a stack the defaults and values of its project. refused is the engine's
// refusal of values that do not match the project's declarations. The engine's own code
// (pulumi/pkg/workspace/config.go) would make the engine a part of the program; tests/engine
// compares both results.
func applyProject(project *workspace.Project, whole sdkconfig.Map) (refused, err error) {
	for _, written := range slices.Sorted(maps.Keys(project.Config)) {
		declared := project.Config[written]
		key, err := fullKey(string(project.Name), written)
		if err != nil {
			return nil, err
		}
		value, given, err := whole.Get(key, true)
		if err != nil {
			return nil, err
		}
		if given {
			refused = errors.Join(refused, ofType(written, declared, value))
			continue
		}
		if declared.Default == nil && declared.Value == nil {
			if key.Namespace() == string(project.Name) {
				refused = errors.Join(refused,
					fmt.Errorf("configuration key '%s' is missing", written))
			}
			continue
		}
		value, err = projectValue(declared)
		if err != nil {
			return nil, err
		}
		if err := whole.Set(key, value, true); err != nil {
			return nil, err
		}
	}
	return refused, nil
}

// projectValue returns the project's value for a key that the stack does not set.
func projectValue(declared workspace.ProjectConfigType) (sdkconfig.Value, error) {
	raw := declared.Default
	if raw == nil {
		raw = declared.Value
	}
	switch raw.(type) {
	case string, int, bool:
		return sdkconfig.NewValue(fmt.Sprint(raw)), nil
	}
	simple, err := workspace.SimplifyMarshalledValue(raw)
	if err != nil {
		return sdkconfig.Value{}, err
	}
	text, err := json.Marshal(simple)
	return sdkconfig.NewObjectValue(string(text)), err
}

// ofType refuses a stack's value that does not have the type declared in the project.
func ofType(key string, declared workspace.ProjectConfigType, given sdkconfig.Value) error {
	if !declared.IsExplicitlyTyped() {
		return nil
	}
	if declared.Secret && !given.Secure() {
		return fmt.Errorf("configuration key '%s' must be encrypted as it's secret", key)
	}
	text, err := given.Value(blind)
	if err != nil {
		return err
	}
	var content any = text
	if given.Object() {
		if err := json.Unmarshal([]byte(text), &content); err != nil {
			return err
		}
	}
	if workspace.ValidateConfigValue(*declared.Type, declared.Items, content) {
		return nil
	}
	name := workspace.InferFullTypeName(*declared.Type, declared.Items)
	return fmt.Errorf("configuration key '%s' must be of type '%s'", key, name)
}
