package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
)

// userValues are the user's values of a chart, from the configuration or from another resource.
type userValues struct {
	config.Values
	// later are the values if another Pulumi resource computes them, as an output. Nil if the
	// values come from the configuration.
	later pulumi.MapInput
	// check converts the value of later to Values. It returns an error if the values break a rule
	// of the configuration.
	check func(given map[string]any) (config.Values, error)
}

// userValues returns the user's values of a chart: own from the configuration, or later from
// another resource. If both are set, apply returns an error.
func (l *layer) userValues(artifact string, own config.Values, later pulumi.MapInput) userValues {
	return userValues{Values: own, later: later,
		check: func(given map[string]any) (config.Values, error) {
			return l.Rules.LaterValues(artifact, given)
		}}
}

// isSet reports whether the user has set values.
func (v userValues) isSet() bool { return v.later != nil || v.Tree != nil }

// apply returns f's result for the values. It calls f at once for values of the configuration, and
// otherwise when the values are known. It returns an error if both the configuration and another
// resource set values.
func (v userValues) apply(f func(config.Values) (object, error)) (pulumi.MapInput, error) {
	switch {
	case v.later == nil:
		made, err := f(v.Values)
		return inputsOf(made), err
	case v.Tree != nil:
		return nil, fmt.Errorf("strata:%s is set, and the program gives Values: leave one of them out", v.Key)
	}
	return v.later.ToMapOutput().ApplyT(func(given map[string]any) (pulumi.MapOutput, error) {
		values, err := v.check(given)
		if err != nil {
			return pulumi.MapOutput{}, err
		}
		made, err := f(values)
		return inputsOf(made).ToMapOutput(), err
	}).(pulumi.MapOutput), nil
}
