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

// PreviousOutput returns the last output of the resource's command, which pulumi-command hands to
// an update that asks for it; empty at a create.
func (c Call) PreviousOutput() string { return os.Getenv(self.PreviousOutput) }

// Previous decodes a PreviousOutput that is JSON or an output of WriteOutput. At a create it
// returns the zero value. It ignores unknown keys: they are of another version.
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

// WriteOutput prints a value for Previous in a compact form. The next run gets it in one
// environment variable, which Linux bounds at 128 KiB.
func (c Call) WriteOutput(value any) error {
	encoded := base64.NewEncoder(base64.StdEncoding, c.Stdout)
	packed := gzip.NewWriter(encoded)
	return errors.Join(json.NewEncoder(packed).Encode(value), packed.Close(), encoded.Close())
}

// unpack returns the JSON that WriteOutput has packed.
func unpack(text string) (string, error) {
	packed, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(packed)
	return string(content), err
}
