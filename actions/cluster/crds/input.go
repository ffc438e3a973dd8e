package crds

import (
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/artifacts"
)

// Input is read from stdin by `strata crds`. It lies in states, so its keys stay as they are.
type Input struct {
	// File is the bundle's YAML file, SHA256 what it must be. A removal reads neither.
	File string `json:"file"`
	// Name and Version identify the bundle.
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	// Timeout bounds the whole.
	Timeout metav1.Duration `json:"timeout"`
	Version string          `json:"version"`
}

// Bundle reads the bundle's file, and refuses another one.
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
