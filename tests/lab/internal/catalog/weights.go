package catalog

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"strata/tests/lab/internal/build"
)

// weights.json has each part's cost from empty caches. `make bench-first` measures and writes it.
//
//go:embed weights.json
var weightsText []byte

// Weights returns the costs of the graph's parts.
func Weights() build.Weights {
	var weights build.Weights
	if err := json.Unmarshal(weightsText, &weights); err != nil {
		panic(fmt.Sprintf("weights.json: %v", err)) // a test has read it
	}
	return weights
}
