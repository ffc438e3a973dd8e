package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/pulumi/self"
)

// fromStdin returns a subcommand that a resource runs: run gets the one JSON object on stdin, and a
// context that ends with that object's timeout.
func fromStdin[T any](subcommand string, run func(ctx context.Context, cmd *cobra.Command, input T) error) func(*cobra.Command, []string) error {
	return readStdin(subcommand, func(cmd *cobra.Command, text []byte, input T) error {
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
	})
}

// fromStdinUnbounded returns a subcommand that bounds its parts itself: a transfer takes as long as
// the line needs.
func fromStdinUnbounded[T any](subcommand string, run func(ctx context.Context, cmd *cobra.Command, input T) error) func(*cobra.Command, []string) error {
	return readStdin(subcommand, func(cmd *cobra.Command, _ []byte, input T) error { return run(cmd.Context(), cmd, input) })
}

// readStdin decodes the one JSON object on stdin.
func readStdin[T any](subcommand string, run func(cmd *cobra.Command, text []byte, input T) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		text, err := io.ReadAll(cmd.InOrStdin())
		if err != nil {
			return fmt.Errorf("%s: stdin: %w", subcommand, err)
		}
		var input T
		if err := decode(subcommand, text, &input); err != nil {
			return err
		}
		return run(cmd, text, input)
	}
}

// previousOutput returns the last output of the resource's command, which pulumi-command hands to
// an update; empty at a create.
func previousOutput() string { return os.Getenv(self.PreviousOutput) }

// previous is previousOutput, where that is JSON or what writeOutput wrote; the zero value at a
// create. Keys that it does not know are another version's.
func previous[T any](subcommand string) (before T, err error) {
	text := previousOutput()
	if text == "" {
		return before, nil
	}
	if content, err := unpack(text); err == nil {
		text = content
	}
	if err := json.Unmarshal([]byte(text), &before); err != nil {
		return before, &exitError{2, fmt.Errorf("%s: previous output: %w", subcommand, err)}
	}
	return before, nil
}

// writeOutput prints a value for previous, short: the next run gets it in one environment variable,
// which Linux bounds at 128 KiB.
func writeOutput(out io.Writer, value any) error {
	encoded := base64.NewEncoder(base64.StdEncoding, out)
	packed := gzip.NewWriter(encoded)
	return errors.Join(json.NewEncoder(packed).Encode(value), packed.Close(), encoded.Close())
}

// unpack returns the JSON that writeOutput has packed.
func unpack(text string) (string, error) {
	packed, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(packed)
	return string(content), err
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

// within bounds a subcommand by the timeout of its input. None, or a negative one, is a mistake of
// whoever wrote the input.
func within(
	ctx context.Context, subcommand string, timeout metav1.Duration,
) (context.Context, context.CancelFunc, error) {
	if timeout.Duration <= 0 {
		return nil, nil, &exitError{2, fmt.Errorf("%s: a positive timeout is required", subcommand)}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout.Duration)
	return ctx, cancel, nil
}
