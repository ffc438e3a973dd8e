package bench

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestQuantileUsesNearestRank(t *testing.T) {
	samples := []float64{50, 10, 40, 20, 30}
	assert.Equal(t, 30.0, Quantile(samples, 0.5))
	assert.Equal(t, 50.0, Quantile(samples, 0.95))
	assert.Equal(t, 10.0, Quantile(samples, 0))
	assert.True(t, math.IsNaN(Quantile(nil, 0.5)))
}

func TestMergeKeepsResultsNotMeasuredAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bench", "results.json")
	require.NoError(t,
		Merge(path, []Result{Most("b", "s", 0.5, 5, []float64{4}),
			Most("a", "ms", 0.5, 0, []float64{1})}))
	require.NoError(t, Merge(path, []Result{Most("b", "s", 0.5, 5, []float64{3})}))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var all []Result
	require.NoError(t, json.Unmarshal(text, &all))
	require.Len(t, all, 2)
	assert.Equal(t, "a", all[0].Name)
	assert.Nil(t, all[0].Target)
	assert.Equal(t, 3.0, all[1].Value)
	assert.Equal(t, 5.0, *all[1].Target)
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	require.Error(t, Merge(path, nil), "a broken file is not overwritten")
}

func TestReplaceRemovesResultsOfFormerParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	require.NoError(t,
		Merge(path,
			[]Result{Most("share", "s", 0.5, 0, []float64{1}),
				Most("share/old", "ratio", 0.5, 0, []float64{1}),
				Most("shared/a", "s", 0.5, 0, []float64{1})}))
	require.NoError(t, Replace(path, "share",
		[]Result{Most("share/new", "ratio", 0.5, 0, []float64{1})}))
	all, err := Read(path)
	require.NoError(t, err)
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	assert.Equal(t, []string{"share", "share/new", "shared/a"}, names)
}

func TestTargetsAreUpperOrLowerBounds(t *testing.T) {
	assert.True(t, Most("a", "s", 0.5, 5, []float64{5}).Met())
	assert.False(t, Most("a", "s", 0.5, 5, []float64{6}).Met())
	assert.True(t, Least("a", "ratio", 0.5, 2, []float64{2}).Met())
	assert.False(t, Least("a", "ratio", 0.5, 2, []float64{1.9}).Met())
	assert.True(t, Most("a", "s", 0.5, 0, []float64{6}).Met(), "no promise, none broken")
}

func TestPointNamesSortByX(t *testing.T) {
	ten := On("up", "workloads", 10, "s", []float64{1, 3, 2})
	hundred := On("up", "workloads", 100, "s", []float64{4})
	assert.Less(t, ten.Name, hundred.Name)
	assert.Equal(t, 2.0, ten.Value)
	assert.Equal(t, &Point{Curve: "up", Of: "workloads", X: 10}, ten.Point)
}

func TestMachineDescriptionHasProcessorMemoryAndKernel(t *testing.T) {
	assert.Regexp(t, `^.+, \d+ cores, \d+ GiB, Linux .+, \w+$`, machine())
}

func TestCountOfOneMissesTargetOfZero(t *testing.T) {
	assert.True(t, None("a", "requests", 0).Met())
	assert.False(t, None("a", "requests", 1).Met())
}
