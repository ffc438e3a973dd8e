package pulumitest

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Resource is one registration as the engine receives it.
type Resource struct {
	// Type is the type token, Name the logical name.
	Type, Name string
	// Custom is false for a component.
	Custom bool
	// Inputs are the inputs, with secrets marked.
	Inputs resource.PropertyMap
	// Parent is the name of the parent; empty for the stack.
	Parent string
	// Dependencies are the names of the resources on which it depends: those of DependsOn, and
	// those whose outputs it reads. Sorted.
	Dependencies []string
	// DeletedWith is the name of the resource with which it is deleted.
	DeletedWith string
	// Provider is the name of its explicit provider.
	Provider string
	// Timeouts are the timeouts of create, update and delete, as durations; empty for none.
	Timeouts Timeouts
	// SecretOutputs and IgnoredChanges are the options additionalSecretOutputs and ignoreChanges.
	SecretOutputs, IgnoredChanges []string
	// DeleteFirst is true if a replacement deletes the old resource before it creates the new one.
	DeleteFirst bool
	// ReplacedOn are the inputs whose change replaces the resource (option replaceOnChanges). The
	// SDK itself sets it for triggers.
	ReplacedOn []string
	// Order is the number of the registration, from 0.
	Order int
}

// Timeouts are the customTimeouts of a resource.
type Timeouts struct{ Create, Update, Delete string }

// Input returns the value of an input without secret marks, and whether any of it is secret. A
// missing input is null.
func (r Resource) Input(key string) (value resource.PropertyValue, secret bool) {
	found, ok := r.Inputs[resource.PropertyKey(key)]
	if !ok {
		return resource.NewNullProperty(), false
	}
	return plain(found), found.ContainsSecrets()
}

// plain returns a value without marks of secrets and outputs.
func plain(value resource.PropertyValue) resource.PropertyValue {
	switch {
	case value.IsSecret():
		return plain(value.SecretValue().Element)
	case value.IsOutput():
		return plain(value.OutputValue().Element)
	case value.IsArray():
		elements := make([]resource.PropertyValue, 0, len(value.ArrayValue()))
		for _, element := range value.ArrayValue() {
			elements = append(elements, plain(element))
		}
		return resource.NewProperty(elements)
	case value.IsObject():
		fields := resource.PropertyMap{}
		for key, field := range value.ObjectValue() {
			fields[key] = plain(field)
		}
		return resource.NewProperty(fields)
	}
	return value
}

// Text returns an input that is a string; empty if it is none.
func (r Resource) Text(key string) string {
	value, _ := r.Input(key)
	if !value.IsString() {
		return ""
	}
	return value.StringValue()
}

// Triggers returns the triggers of a command, whose change replaces it.
func (r Resource) Triggers() []resource.PropertyValue {
	value, _ := r.Input("triggers")
	if !value.IsArray() {
		return nil
	}
	return value.ArrayValue()
}

// DependsOn reports whether the resource depends on name directly.
func (r Resource) DependsOn(name string) bool { return slices.Contains(r.Dependencies, name) }

// newResource returns the registration that a mock received.
func newResource(args pulumi.MockResourceArgs) Resource {
	r := Resource{Type: args.TypeToken, Name: args.Name, Custom: args.Custom, Inputs: args.Inputs}
	rpc := args.RegisterRPC
	if rpc == nil { // a read
		return r
	}
	r.Parent = nameOf(rpc.GetParent())
	for _, urn := range rpc.GetDependencies() {
		r.Dependencies = append(r.Dependencies, nameOf(urn))
	}
	slices.Sort(r.Dependencies)
	r.DeletedWith = nameOf(rpc.GetDeletedWith())
	r.Provider = providerName(rpc)
	if timeouts := rpc.GetCustomTimeouts(); timeouts != nil {
		r.Timeouts = Timeouts{timeouts.GetCreate(), timeouts.GetUpdate(), timeouts.GetDelete()}
	}
	r.SecretOutputs, r.IgnoredChanges = rpc.GetAdditionalSecretOutputs(), rpc.GetIgnoreChanges()
	r.DeleteFirst, r.ReplacedOn = rpc.GetDeleteBeforeReplace(), rpc.GetReplaceOnChanges()
	return r
}

// nameOf returns the logical name in a URN; empty for the stack and for an empty URN.
func nameOf(urn string) string {
	if urn == "" || resource.URN(urn).QualifiedType() == resource.RootStackType {
		return ""
	}
	return resource.URN(urn).Name()
}

// providerName returns the name of the provider in a registration's provider reference (URN and
// id).
func providerName(rpc *pulumirpc.RegisterResourceRequest) string {
	reference := rpc.GetProvider()
	for i := len(reference) - 1; i > 1; i-- {
		if reference[i-1] == ':' && reference[i-2] == ':' {
			return nameOf(reference[:i-2])
		}
	}
	return ""
}
