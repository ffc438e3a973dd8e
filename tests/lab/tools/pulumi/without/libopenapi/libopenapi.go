// Package libopenapi stands in for the parser of OpenAPI documents, with which `pulumi cloud` lists what Pulumi's own service can do.
// Its generic types, compiled again wherever they are used, are half of what Pulumi takes to compile.
package libopenapi

import (
	"errors"

	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
)

var errNone = errors.New("the lab's Pulumi reads no OpenAPI documents")

// Document is never made.
type Document struct{}

// DocumentModel is what a document says.
type DocumentModel struct{ Model v3.Document }

// NewDocument refuses.
func NewDocument([]byte) (*Document, error) {
	return nil, errNone
}

// BuildV3Model refuses.
func (*Document) BuildV3Model() (*DocumentModel, error) { return nil, errNone }
