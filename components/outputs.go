package components

import (
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// registerOutputs registers the outputs of a component: all set fields with a tag pulumi. Secrets
// stay secret.
func registerOutputs(ctx *pulumi.Context, component pulumi.ComponentResource) error {
	outputs := pulumi.Map{}
	eachOutput(component, func(name string, field reflect.Value) {
		if !field.IsZero() {
			outputs[name] = pulumi.ToOutput(field.Interface())
		}
	})
	return ctx.RegisterResourceOutputs(component, outputs)
}

// unsetOutputs resets the tagged output fields that the SDK sets when it registers a component.
// Otherwise registerOutputs would register outputs that no step has set.
func unsetOutputs(component pulumi.ComponentResource) {
	eachOutput(component, func(_ string, field reflect.Value) {
		if _, known := field.Interface().(pulumi.Output); known {
			field.SetZero()
		}
	})
}

// eachOutput calls f for each field of a component with a tag pulumi. name is the tag's value.
func eachOutput(component pulumi.ComponentResource, f func(name string, field reflect.Value)) {
	value := reflect.ValueOf(component).Elem()
	for i := range value.NumField() {
		if name, tagged := value.Type().Field(i).Tag.Lookup("pulumi"); tagged {
			f(name, value.Field(i))
		}
	}
}
