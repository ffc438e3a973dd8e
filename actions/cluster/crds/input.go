package crds

import (
	"context"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/verb"
	"strata/artifacts"
)

// Apply applies a bundle, and prints the names of its definitions, one a line, for the gate that
// follows.
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

// Remove removes a bundle. It does not need the bundle's file.
var Remove = verb.New(func(ctx context.Context, call verb.Call, input Input) error {
	client, err := call.Objects()
	if err != nil {
		return err
	}
	return remove(ctx, client, input.Name, call.Stderr)
})

// Input is the input of Apply and Remove. It lies in states, so its keys stay as they are.
type Input struct {
	// File is the bundle's YAML file, and SHA256 its expected digest. A removal reads neither.
	File string `json:"file"`
	// Name and Version identify the bundle.
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	// Timeout bounds the whole command.
	Timeout metav1.Duration `json:"timeout"`
	Version string          `json:"version"`
}

// Bundle reads the bundle's file, and refuses a file with another digest.
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
