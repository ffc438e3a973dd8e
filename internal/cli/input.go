package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
