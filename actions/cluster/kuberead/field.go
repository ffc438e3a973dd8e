package kuberead

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/jsonpath"

	"strata/actions/verb"
)

// ReadField prints one field of one object. A gate has waited for the object before.
var ReadField = verb.New(func(ctx context.Context, call verb.Call, input FieldInput) error {
	client, err := call.Objects()
	if err != nil {
		return err
	}
	field, err := input.Field()
	if err != nil {
		return &verb.InputError{Err: err}
	}
	text, err := field.Read(ctx, client)
	if err != nil {
		return err
	}
	_, err = call.Stdout.Write(text)
	return err
})

// FieldInput is the input of ReadField.
type FieldInput struct {
	// Base64 is true if the field's text is base64, as in a Secret; it is then decoded.
	Base64    bool   `json:"base64"`
	Group     string `json:"group,omitempty"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Path is the field as kubectl's JSONPath, for example {.data.ca\.crt}.
	Path     string `json:"path"`
	Resource string `json:"resource"`
	// Revision has no effect on the result; a change of it makes the command run again.
	Revision string          `json:"revision"`
	Timeout  metav1.Duration `json:"timeout"`
	Version  string          `json:"version"`
}

// Field is a FieldInput with a parsed path.
type Field struct {
	input FieldInput
	path  *jsonpath.JSONPath
}

// Field parses the input's path, and fails if it is invalid.
func (i FieldInput) Field() (Field, error) {
	path := jsonpath.New("field")
	if err := path.Parse(i.Path); err != nil {
		return Field{}, fmt.Errorf("read %s: %w", i, err)
	}
	return Field{i, path}, nil
}

// String returns the object and the field for messages.
func (i FieldInput) String() string {
	return fmt.Sprintf("%s %s/%s %s", i.Resource, i.Namespace, i.Name, i.Path)
}

// Read returns the field's value, decoded if Base64 is set. It fails if the field is missing or
// empty.
func (f Field) Read(ctx context.Context, client dynamic.Interface) ([]byte, error) {
	where := f.input
	resource := schema.GroupVersionResource{Group: where.Group, Version: where.Version,
		Resource: where.Resource}
	object, err := client.Resource(resource).Namespace(where.Namespace).Get(ctx, where.Name,
		metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", where, err)
	}
	var text bytes.Buffer
	if err := f.path.Execute(&text, object.Object); err != nil {
		return nil, fmt.Errorf("read %s: %w", where, err)
	}
	if text.Len() == 0 {
		return nil, fmt.Errorf("read %s: it is empty", where)
	}
	if !where.Base64 {
		return text.Bytes(), nil
	}
	decoded, err := base64.StdEncoding.DecodeString(text.String())
	if err != nil {
		return nil, fmt.Errorf("read %s: it is not base64", where) // The decoder's error would quote a part of it.
	}
	return decoded, nil
}
