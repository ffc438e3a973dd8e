package metrics

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/stack/drift"
)

func TestDriftMetricsCountDifferencesByVerdict(t *testing.T) {
	report := &drift.Report{Unanswered: []error{errors.New("agent-1")},
		Differences: []drift.Difference{{Verdict: drift.Changed}, {Verdict: drift.Changed},
			{Verdict: drift.Extra, Kept: "an update removes no file"}}}
	var out strings.Builder
	require.NoError(t, WriteDrift(&out, "dev", report, time.Unix(1800000000, 0)))
	conventions(t, out.String())
	for _, line := range []string{
		`strata_drift_things{kept="no",stack="dev",verdict="changed"} 2`,
		`strata_drift_things{kept="yes",stack="dev",verdict="changed"} 0`,
		`strata_drift_things{kept="yes",stack="dev",verdict="extra"} 1`,
		`strata_drift_things{kept="no",stack="dev",verdict="missing"} 0`,
		`strata_drift_unanswered{stack="dev"} 1`,
		`strata_drift_timestamp_seconds{stack="dev"} 1.8e+09`,
	} {
		assert.Contains(t, out.String(), line+"\n")
	}
}
