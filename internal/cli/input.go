package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fromStdin is a verb that a resource runs: run gets the one JSON object on stdin, and a context that ends with that object's timeout.
func fromStdin[T any](verb string, run func(ctx context.Context, cmd *cobra.Command, input T) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		text, err := io.ReadAll(cmd.InOrStdin())
		if err != nil {
			return fmt.Errorf("%s: stdin: %w", verb, err)
		}
		var input T
		if err := decode(verb, text, &input); err != nil {
			return err
		}
		var bound struct {
			Timeout metav1.Duration `json:"timeout"`
		}
		if err := json.Unmarshal(text, &bound); err != nil {
			return err
		}
		ctx, cancel, err := within(cmd.Context(), verb, bound.Timeout)
		if err != nil {
			return err
		}
		defer cancel()
		return run(ctx, cmd, input)
	}
}

// decode reads one JSON object. A misspelt key is an error.
func decode(verb string, text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if err == nil && decoder.More() {
		err = errors.New("expected one JSON object, found more behind it")
	}
	if err != nil {
		return &exitError{2, fmt.Errorf("%s: stdin: %w", verb, err)}
	}
	return nil
}

// within bounds a verb by the timeout of its input. None, or a negative one, is a mistake of whoever wrote the input.
func within(ctx context.Context, verb string, timeout metav1.Duration) (context.Context, context.CancelFunc, error) {
	if timeout.Duration <= 0 {
		return nil, nil, &exitError{2, fmt.Errorf("%s: a positive timeout is required", verb)}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout.Duration)
	return ctx, cancel, nil
}
