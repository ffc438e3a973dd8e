package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
)

// userValues are the user's values of a chart. They come from the configuration, or from another
// resource.
type userValues struct {
	config.Values
	// later are values from another resource, which replace Values. If nil, there are none.
	later pulumi.MapInput
	// check converts later values to Values, and applies the rules of the configuration.
	check func(given map[string]any) (config.Values, error)
}

// userValues returns the user's values of a chart. Only one of own and later may be set.
func (l *layer) userValues(artifact string, own config.Values, later pulumi.MapInput) userValues {
	return userValues{Values: own, later: later,
		check: func(given map[string]any) (config.Values, error) {
			return l.Rules.LaterValues(artifact, given)
		}}
}

// isSet reports whether the user has set values.
func (v userValues) isSet() bool { return v.later != nil || v.Tree != nil }

// apply returns the result of f for the values. Values of the configuration are applied at once,
// and later ones as soon as they are known. The result is secret if the values are.
func (v userValues) apply(f func(config.Values) (pulumi.Map, error)) (pulumi.MapInput, error) {
	switch {
	case v.later == nil:
		return f(v.Values)
	case v.Tree != nil:
		return nil, fmt.Errorf("strata:%s is set, and the program gives Values: leave one of them out", v.Key)
	}
	return v.later.ToMapOutput().ApplyT(func(given map[string]any) (pulumi.MapOutput, error) {
		values, err := v.check(given)
		if err != nil {
			return pulumi.MapOutput{}, err
		}
		made, err := f(values)
		return made.ToMapOutput(), err
	}).(pulumi.MapOutput), nil
}
