package catalog

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"strata/tests/lab/internal/build"
)

// weights.json is what each part cost from empty caches when `make bench-first` measured it last,
// which writes it.
//
//go:embed weights.json
var weightsText []byte

// Weights returns the cost of each part of the graph.
func Weights() build.Weights {
	var weights build.Weights
	if err := json.Unmarshal(weightsText, &weights); err != nil {
		panic(fmt.Sprintf("weights.json: %v", err)) // a test has read it
	}
	return weights
}
