package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/jsonpath"
)

// ReadInput is what `strata read` reads on stdin.
type ReadInput struct {
	Group     string `json:"group,omitempty"`
	Version   string `json:"version"`
	Resource  string `json:"resource"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Path is the field, in kubectl's JSONPath, for example {.data.ca\.crt}.
	Path string `json:"path"`
	// Base64 says that the field is in base64, as a Secret's are.
	Base64 bool `json:"base64,omitempty"`
	// Revision makes the resource read again when it changes; it is not read.
	Revision string          `json:"revision,omitempty"`
	Timeout  metav1.Duration `json:"timeout"`
}

// newReadCommand is `strata read`: it prints one field of one object, which a gate before it has found to be there. A field that
// the program's outputs need is read once and kept in the state, so that a run without changes asks nobody.
func newReadCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "read",
		Short:  "Print one field of an object in the cluster (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("read", func(ctx context.Context, cmd *cobra.Command, input ReadInput) error {
			client, err := dynamicClient("read")
			if err != nil {
				return err
			}
			text, err := readField(ctx, client, input)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		}),
	}
}

// readField is the field's text. A field that is not there, or empty, is an error.
func readField(ctx context.Context, client dynamic.Interface, input ReadInput) ([]byte, error) {
	where := fmt.Sprintf("%s %s/%s %s", input.Resource, input.Namespace, input.Name, input.Path)
	path := jsonpath.New("field")
	if err := path.Parse(input.Path); err != nil {
		return nil, &exitError{2, fmt.Errorf("read %s: %w", where, err)}
	}
	resource := schema.GroupVersionResource{Group: input.Group, Version: input.Version, Resource: input.Resource}
	object, err := client.Resource(resource).Namespace(input.Namespace).Get(ctx, input.Name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", where, err)
	}
	var text bytes.Buffer
	if err := path.Execute(&text, object.Object); err != nil {
		return nil, fmt.Errorf("read %s: %w", where, err)
	}
	if text.Len() == 0 {
		return nil, fmt.Errorf("read %s: it is empty", where)
	}
	if !input.Base64 {
		return text.Bytes(), nil
	}
	decoded, err := base64.StdEncoding.DecodeString(text.String())
	if err != nil {
		return nil, fmt.Errorf("read %s: it is not base64", where) // The decoder's error would quote a part of it.
	}
	return decoded, nil
}
