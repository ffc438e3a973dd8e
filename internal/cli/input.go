package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/self"
)

// fromStdin is a subcommand that a resource runs: run gets the one JSON object on stdin, and a context that ends with that object's timeout.
func fromStdin[T any](subcommand string, run func(ctx context.Context, cmd *cobra.Command, input T) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		text, err := io.ReadAll(cmd.InOrStdin())
		if err != nil {
			return fmt.Errorf("%s: stdin: %w", subcommand, err)
		}
		var input T
		if err := decode(subcommand, text, &input); err != nil {
			return err
		}
		var bound struct {
			Timeout metav1.Duration `json:"timeout"`
		}
		if err := json.Unmarshal(text, &bound); err != nil {
			return err
		}
		ctx, cancel, err := within(cmd.Context(), subcommand, bound.Timeout)
		if err != nil {
			return err
		}
		defer cancel()
		return run(ctx, cmd, input)
	}
}

// previousOutput is what the resource's command printed the last time, which pulumi-command hands to an update; empty at a create.
func previousOutput() string { return os.Getenv(self.PreviousOutput) }

// previous is previousOutput, where that is JSON; the zero value at a create. Keys that it does not know are another version's.
func previous[T any](subcommand string) (before T, err error) {
	if text := previousOutput(); text != "" {
		if err := json.Unmarshal([]byte(text), &before); err != nil {
			return before, &exitError{2, fmt.Errorf("%s: previous output: %w", subcommand, err)}
		}
	}
	return before, nil
}

// decode reads one JSON object. A misspelt key is an error.
func decode(subcommand string, text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if err == nil && decoder.More() {
		err = errors.New("expected one JSON object, found more behind it")
	}
	if err != nil {
		return &exitError{2, fmt.Errorf("%s: stdin: %w", subcommand, err)}
	}
	return nil
}

// within bounds a subcommand by the timeout of its input. None, or a negative one, is a mistake of whoever wrote the input.
func within(ctx context.Context, subcommand string, timeout metav1.Duration) (context.Context, context.CancelFunc, error) {
	if timeout.Duration <= 0 {
		return nil, nil, &exitError{2, fmt.Errorf("%s: a positive timeout is required", subcommand)}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout.Duration)
	return ctx, cancel, nil
}
