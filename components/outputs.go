package components

import (
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// registerOutputs registers the outputs of a component, for its readers in the state, the console
// and other languages: the fields with a tag pulumi, as far as they are set. Secrets stay secret.
func registerOutputs(ctx *pulumi.Context, component pulumi.ComponentResource) error {
	outputs := pulumi.Map{}
	eachOutput(component, func(name string, field reflect.Value) {
		if !field.IsZero() {
			outputs[name] = pulumi.ToOutput(field.Interface())
		}
	})
	return ctx.RegisterResourceOutputs(component, outputs)
}

// unsetOutputs takes back the values that the SDK gives to tagged fields when it registers a
// component: an output that no step sets must not be registered as an empty text.
func unsetOutputs(component pulumi.ComponentResource) {
	eachOutput(component, func(_ string, field reflect.Value) {
		if _, known := field.Interface().(pulumi.Output); known {
			field.SetZero()
		}
	})
}

// eachOutput calls f for the fields of a component that have a tag pulumi.
func eachOutput(component pulumi.ComponentResource, f func(name string, field reflect.Value)) {
	value := reflect.ValueOf(component).Elem()
	for i := range value.NumField() {
		if name, tagged := value.Type().Field(i).Tag.Lookup("pulumi"); tagged {
			f(name, value.Field(i))
		}
	}
}
