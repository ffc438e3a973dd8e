package conformance_test

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/conformance/internal/plugin"
)

// result is the outcome of one case in one run.
type result struct {
	Plugin  string `json:"plugin"`
	Version string `json:"version"`
	Case    string `json:"case"`
	// Outcome is passed, failed or skipped.
	Outcome string `json:"outcome"`
}

type report struct {
	Plugins string   `json:"plugins"`
	Results []result `json:"results"`
}

type recorder struct {
	mu       sync.Mutex
	versions map[string]string
	results  []result
}

var recorded = &recorder{versions: map[string]string{}}

func (r *recorder) version(name, version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.versions[name] = version
}

func (r *recorder) add(name, row string, t *testing.T) {
	outcome := "passed"
	switch {
	case t.Failed():
		outcome = "failed"
	case t.Skipped():
		outcome = "skipped"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results = append(r.results, result{Plugin: name, Case: row, Outcome: outcome})
}

func (r *recorder) write(file string) error {
	if file == "" {
		return nil
	}
	for i := range r.results {
		r.results[i].Version = r.versions[r.results[i].Plugin]
	}
	slices.SortFunc(r.results, func(a, b result) int {
		return cmp.Or(cmp.Compare(a.Plugin, b.Plugin), cmp.Compare(a.Case, b.Case))
	})
	body, err := json.MarshalIndent(report{Plugins: plugin.Set(), Results: r.results}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(body, '\n'), 0o644)
}

// The committed results must have exactly the table's cases, and no failure of official plugins.
func TestCommittedResultsListEveryCaseWithoutOfficialFailure(t *testing.T) {
	var want []string
	for _, rows := range table {
		for _, row := range rows.cases {
			want = append(want, rows.plugin+": "+row.name)
		}
	}
	for _, file := range []string{"official.json", "stand-in.json"} {
		body, err := os.ReadFile(filepath.Join("results", file))
		require.NoError(t, err)
		var committed report
		require.NoError(t, json.Unmarshal(body, &committed))
		var have []string
		for _, r := range committed.Results {
			have = append(have, r.Plugin+": "+r.Case)
			if committed.Plugins == "official" {
				assert.NotEqual(t, "failed", r.Outcome, "%s: %s: %s", file, r.Plugin, r.Case)
			}
		}
		assert.ElementsMatch(t, want, have,
			"%s: run the table with STRATA_CONFORMANCE_RESULTS", file)
	}
}
