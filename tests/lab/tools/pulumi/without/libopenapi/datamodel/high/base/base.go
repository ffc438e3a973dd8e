// Package base has what a schema says.
package base

import (
	"errors"

	"github.com/pb33f/libopenapi/orderedmap"
	"go.yaml.in/yaml/v4"
)

// Info is a document's.
type Info struct{ Version string }

// Low is what a schema was read from.
type Low struct{}

// Hash is none.
func (*Low) Hash() uint64 { return 0 }

// SchemaProxy leads to a schema.
type SchemaProxy struct{}

// Schema is none.
func (*SchemaProxy) Schema() *Schema { return nil }

// DynamicValue is a schema or a bool.
type DynamicValue struct{ A *SchemaProxy }

// IsA says whether it is a schema.
func (*DynamicValue) IsA() bool { return false }

// Discriminator tells schemas apart.
type Discriminator struct {
	PropertyName string
	Mapping      *orderedmap.Map[string, string]
}

// Schema is one.
type Schema struct {
	Type, Required              []string
	AllOf, OneOf, AnyOf         []*SchemaProxy
	Discriminator               *Discriminator
	Properties                  *orderedmap.Map[string, *SchemaProxy]
	Extensions                  *orderedmap.Map[string, *yaml.Node]
	Items, AdditionalProperties *DynamicValue
	Description, Format         string
	Pattern, Title              string
	ReadOnly, Nullable          *bool
	Deprecated                  *bool
	MinLength, MaxLength        *int64
	Minimum, Maximum            *float64
	MultipleOf                  *float64
	Default                     *yaml.Node
	Enum                        []*yaml.Node
}

// GoLow is none.
func (*Schema) GoLow() *Low { return nil }

// MarshalJSONInline refuses.
func (*Schema) MarshalJSONInline() ([]byte, error) {
	return nil, errors.New("the lab's Pulumi reads no OpenAPI documents")
}
