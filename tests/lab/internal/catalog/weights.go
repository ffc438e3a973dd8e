package catalog

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"strata/tests/lab/internal/build"
)

// weightsText is the content of weights.json: each part's cost with empty caches. `make
// bench-first` measures and writes the file.
//
//go:embed weights.json
var weightsText []byte

// Weights returns the measured costs of the graph's parts.
func Weights() build.Weights {
	var weights build.Weights
	if err := json.Unmarshal(weightsText, &weights); err != nil {
		panic(fmt.Sprintf("weights.json: %v", err)) // TestEveryBuildStepHasAWeight reads it
	}
	return weights
}
