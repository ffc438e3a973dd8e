package verb

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"strata/internal/pulumi/self"
)

// PreviousOutput returns the previous output of the resource's command, which pulumi-command passes
// to an update on request; "" at a create.
func (c Call) PreviousOutput() string { return os.Getenv(self.PreviousOutput) }

// Previous decodes the previous output, which is JSON or was written by WriteOutput. It returns the
// zero value at a create. It ignores unknown keys, because another version may have written them.
func Previous[T any](call Call) (before T, err error) {
	text := call.PreviousOutput()
	if text == "" {
		return before, nil
	}
	if content, err := unpack(text); err == nil {
		text = content
	}
	if err := json.Unmarshal([]byte(text), &before); err != nil {
		return before, call.Wrong(fmt.Errorf("previous output: %w", err))
	}
	return before, nil
}

// WriteOutput writes a value to the resource's output in a compressed form that Previous decodes.
// The next run gets it in one environment variable, which Linux limits to 128 KiB.
func (c Call) WriteOutput(value any) error {
	encoded := base64.NewEncoder(base64.StdEncoding, c.Stdout)
	packed := gzip.NewWriter(encoded)
	return errors.Join(json.NewEncoder(packed).Encode(value), packed.Close(), encoded.Close())
}

// unpack returns the JSON that WriteOutput compressed.
func unpack(text string) (string, error) {
	packed, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(packed)
	return string(content), err
}
