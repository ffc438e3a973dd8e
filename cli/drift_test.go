package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/stack/drift"
)

func TestDriftExitsWithOneOnDifferenceAndTwoOnFailedComparison(t *testing.T) {
	changed := drift.Difference{Resource: "traefik-release", Thing: "Deployment/traefik/traefik",
		Verdict: drift.Changed, Fields: []string{"spec.replicas"}}
	kept := drift.Difference{Resource: "pool", Thing: "IPAddressPool/metallb-system/default",
		Verdict: drift.Changed, Kept: "flux applies it"}
	silent := errors.New("agent-1: no answer")
	for name, test := range map[string]struct {
		report drift.Report
		code   int
		says   []string
	}{
		"nothing": {drift.Report{}, 0, []string{"Nothing that was compared differs"}},
		"differences": {drift.Report{Differences: []drift.Difference{changed, kept}}, 1,
			[]string{"Deployment/traefik/traefik", "spec.replicas", "puts it back",
				"leaves it: flux applies it"}},
		"a silent host": {drift.Report{Unanswered: []error{silent}}, 2,
			[]string{"Nothing that was compared differs"}},
		"both": {drift.Report{Differences: []drift.Difference{changed},
			Unanswered: []error{silent}}, 1, []string{"puts it back"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			err := driftFlags{}.show(&out, &test.report)
			for _, text := range test.says {
				assert.Contains(t, out.String(), text)
			}
			if test.code == 0 {
				require.NoError(t, err)
				return
			}
			var exit *exitError
			require.ErrorAs(t, err, &exit)
			assert.Equal(t, test.code, exit.code)
			if len(test.report.Unanswered) > 0 {
				assert.ErrorContains(t, err, "agent-1: no answer")
			}
			out.Reset()
			require.Error(t, driftFlags{asJSON: true}.show(&out, &test.report))
			assert.True(t, strings.HasPrefix(out.String(), "["), out.String())
		})
	}
}
