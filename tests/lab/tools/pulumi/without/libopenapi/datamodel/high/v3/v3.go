// Package v3 has what an OpenAPI document says.
package v3

import (
	"github.com/pb33f/libopenapi/datamodel/high/base"
	"github.com/pb33f/libopenapi/orderedmap"
	"go.yaml.in/yaml/v4"
)

// Document is one.
type Document struct {
	Components *Components
	Paths      *Paths
	Info       *base.Info
}

// Components are shared schemas.
type Components struct {
	Schemas *orderedmap.Map[string, *base.SchemaProxy]
}

// Paths are a document's.
type Paths struct {
	PathItems *orderedmap.Map[string, *PathItem]
}

// PathItem is what can be done with a path.
type PathItem struct{ Get, Post, Put, Delete, Patch, Head *Operation }

// Operation is one.
type Operation struct {
	OperationId, Summary, Description string

	Tags        []string
	Parameters  []*Parameter
	RequestBody *RequestBody
	Responses   *Responses
	Deprecated  *bool
	Extensions  *orderedmap.Map[string, *yaml.Node]
}

// Parameter is one.
type Parameter struct {
	Name, In, Description string

	Required *bool
	Schema   *base.SchemaProxy
}

// RequestBody is one.
type RequestBody struct {
	Content *orderedmap.Map[string, *MediaType]
}

// MediaType is one.
type MediaType struct{ Schema *base.SchemaProxy }

// Responses are by status.
type Responses struct {
	Codes   *orderedmap.Map[string, *Response]
	Default *Response
}

// Response is one.
type Response struct {
	Description string
	Content     *orderedmap.Map[string, *MediaType]
}
