// Package verb turns Go functions with a typed input into the commands that Pulumi resources run. A
// command gets its input as JSON on stdin, and secrets in the environment. The package also applies
// the command's timeout. The command texts are in the table of package actions.
package verb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Verb is a function that resources run as a command, with an input of one type.
type Verb[In any] struct {
	decode  func(call Call, text []byte) (In, error)
	bounded bool
	run     func(ctx context.Context, call Call, input In) error
}

// None is the input type of a verb without input.
type None struct{}

// New returns a verb whose input is one JSON object. Its key "timeout" bounds the context of run.
func New[In any](run func(ctx context.Context, call Call, input In) error) *Verb[In] {
	return &Verb[In]{decode: strict[In], bounded: true, run: run}
}

// NewUnbounded returns a verb without a timeout of its own, for a run that bounds its steps itself,
// such as a transfer over a slow connection.
func NewUnbounded[In any](run func(ctx context.Context, call Call, input In) error) *Verb[In] {
	return &Verb[In]{decode: strict[In], run: run}
}

// NewDecoded returns a verb without a timeout of its own, whose input is decoded by decode. The
// errors of decode must name the input.
func NewDecoded[In any](
	decode func(text []byte) (In, error), run func(ctx context.Context, call Call, input In) error,
) *Verb[In] {
	return &Verb[In]{decode: func(_ Call, text []byte) (In, error) { return decode(text) },
		run: run}
}

// Run decodes the input of a call and runs the verb. It returns an InputError if the input is
// invalid.
func (v *Verb[In]) Run(ctx context.Context, call Call) error {
	var input In
	if _, none := any(input).(None); none {
		return v.run(ctx, call, input) // do not read stdin, which blocks on a terminal
	}
	text, err := io.ReadAll(call.Stdin)
	if err != nil {
		return fmt.Errorf("%s: stdin: %w", call.Text, err)
	}
	if input, err = v.decode(call, text); err != nil {
		return &InputError{err}
	}
	if v.bounded {
		var bound struct {
			Timeout metav1.Duration `json:"timeout"`
		}
		if err := json.Unmarshal(text, &bound); err != nil {
			return err
		}
		if bound.Timeout.Duration <= 0 {
			return call.Wrong(errors.New("a positive timeout is required"))
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, bound.Timeout.Duration)
		defer cancel()
	}
	return v.run(ctx, call, input)
}

// strict decodes one JSON object. It fails for an unknown key.
func strict[In any](call Call, text []byte) (input In, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err = decoder.Decode(&input); err == nil && decoder.More() {
		err = errors.New("expected one JSON object, found more behind it")
	}
	if err != nil {
		err = fmt.Errorf("%s: stdin: %w", call.Text, err)
	}
	return input, err
}

// InputError reports an invalid input. The command then exits with 2.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

func (e *InputError) Unwrap() error { return e.Err }

// ErrReported is the error of a verb that has already printed the reason. It has no text.
var ErrReported = errors.New("")
