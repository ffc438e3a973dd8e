package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// readInput decodes the one JSON object that a resource passes on stdin. A misspelt key is an error.
func readInput(verb string, in io.Reader, into any) error {
	decoder := json.NewDecoder(in)
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
