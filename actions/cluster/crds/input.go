package crds

import (
	"context"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/verb"
	"strata/artifacts"
)

// Apply applies a bundle, and prints the names of its CRDs for the gate, one per line.
var Apply = verb.New(func(ctx context.Context, call verb.Call, input Input) error {
	client, err := call.Objects()
	if err != nil {
		return err
	}
	bundle, err := input.Bundle()
	if err != nil {
		return err
	}
	if err := bundle.Apply(ctx, client, call.Stderr); err != nil {
		return err
	}
	return call.Print(strings.Join(bundle.Names(), "\n"))
})

// Remove removes the CRDs of a bundle and thereby all custom resources of their kinds. It does not
// need the bundle's file.
var Remove = verb.New(func(ctx context.Context, call verb.Call, input Input) error {
	client, err := call.Objects()
	if err != nil {
		return err
	}
	return remove(ctx, client, input.Name, call.Stderr)
})

// Input is the input of Apply and Remove. Pulumi's state stores it, so its JSON keys must not
// change.
type Input struct {
	// File is the path of the bundle's YAML, SHA256 its expected digest. Remove does not use them.
	File string `json:"file"`
	// Name and Version identify the bundle.
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	// Timeout bounds the whole command.
	Timeout metav1.Duration `json:"timeout"`
	Version string          `json:"version"`
}

// Bundle parses the bundle's file. It fails if the digest differs.
func (in Input) Bundle() (*Bundle, error) {
	if err := artifacts.Verify(in.File, in.SHA256); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(in.File)
	if err != nil {
		return nil, err
	}
	return Parse(in.Name, in.Version, text)
}
