package metrics

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"strata/actions/stack/drift"
	"strata/cli/timeline"
	"strata/health"
	"strata/health/http"
	"strata/health/pool"
	"strata/health/server"
)

// conventions fails if the text breaks Prometheus's rules on names, units and help.
func conventions(t *testing.T, text string) {
	t.Helper()
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	require.NoError(t, err)
	assert.Empty(t, problems)
}

func TestRunMetricsFollowPrometheusConventions(t *testing.T) {
	file, err := os.Open("../timeline/testdata/destroy.jsonl")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	lines, err := timeline.Read(file)
	require.NoError(t, err)
	run := timeline.New(lines)
	var out strings.Builder
	require.NoError(t, WriteRun(&out, run))
	conventions(t, out.String())
	assert.Equal(t, len(run.Bars), strings.Count(out.String(),
		"\nstrata_resource_duration_seconds{"))
	assert.Equal(t, len(run.Layers), strings.Count(out.String(),
		"\nstrata_layer_duration_seconds{"))
	assert.Contains(t, out.String(), `strata_run_success{operation="destroy",stack="local"} 1`)
	assert.NotContains(t, out.String(), "\nstrata_gate_duration_seconds{",
		"a gate that goes does not wait")
}

func TestRunMetricsContainGateDelayAndLag(t *testing.T) {
	lag := 100 * time.Millisecond
	start := time.Unix(1800000000, 0)
	bar := timeline.Bar{
		Name: "api", Layer: "k3s", Type: "command:local:Command", Op: "create", Gate: true,
		Kind:  "server",
		Start: start, End: start.Add(4 * time.Second), Delay: time.Second, Lag: &lag,
	}
	late := bar
	late.Name, late.Failed, late.Lag = "late", true, nil
	run := timeline.Run{Stack: "dev", Operation: "up", Start: start, End: bar.End,
		Bars: []timeline.Bar{bar, late}}
	var out strings.Builder
	require.NoError(t, WriteRun(&out, run))
	conventions(t, out.String())
	for _, line := range []string{
		`strata_reconcile_delay_seconds{gate="api",kind="server",layer="k3s",operation="up",stack="dev"} 5`,
		`strata_gate_lag_seconds{gate="api",kind="server",layer="k3s",operation="up",stack="dev"} 0.1`,
		`strata_gate_opened{gate="late",kind="server",layer="k3s",operation="up",stack="dev"} 0`,
		`strata_resource_failed{action="create",layer="k3s",operation="up",resource="late",stack="dev",type="command:local:Command"} 1`,
		`strata_run_success{operation="up",stack="dev"} 0`,
		`strata_run_start_timestamp_seconds{operation="up",stack="dev"} 1.8e+09`,
	} {
		assert.Contains(t, out.String(), line+"\n")
	}
	assert.NotContains(t, out.String(), `strata_reconcile_delay_seconds{gate="late"`,
		"what never worked has no delay")
}

func TestHealthMetricsHaveOneActiveStatePerGate(t *testing.T) {
	first, later := time.Unix(1810000000, 0), time.Unix(1820000000, 0)
	results := []health.Result{
		{
			Gate: "api", Layer: "k3s", Kind: server.Kind, State: health.Ready,
			Ending:  health.EndedOpen,
			Elapsed: metav1.Duration{Duration: 1500 * time.Millisecond},
			Checks: []health.Verdict{{State: health.Ready, Ends: &later},
				{State: health.Skipped, Ends: &first}},
		},
		{Gate: "pool", Layer: "metallb", Kind: pool.Kind, State: health.Stuck,
			Ending: health.EndedStuck, Checks: []health.Verdict{{State: health.Stuck}}},
		health.NotMade(health.Spec{Gate: "route", Layer: "argocd", Body: http.Spec{}}),
	}
	var out strings.Builder
	require.NoError(t,
		WriteHealth(&out, Health{Stack: "dev", Results: results, Known: true,
			At: time.Unix(1800000000, 0)}))
	conventions(t, out.String())
	for _, line := range []string{
		`strata_gate_open{gate="api",kind="server",layer="k3s",stack="dev"} 1`,
		`strata_gate_open{gate="pool",kind="pool",layer="metallb",stack="dev"} 0`,
		`strata_gate_state{gate="pool",kind="pool",layer="metallb",stack="dev",state="stuck"} 1`,
		`strata_gate_state{gate="pool",kind="pool",layer="metallb",stack="dev",state="ready"} 0`,
		`strata_gate_checks{gate="api",kind="server",layer="k3s",stack="dev",state="skipped"} 1`,
		`strata_gate_ask_duration_seconds{gate="api",kind="server",layer="k3s",stack="dev"} 1.5`,
		`strata_gate_open{gate="route",kind="http",layer="argocd",stack="dev"} 0`,
		`strata_gate_state{gate="route",kind="http",layer="argocd",stack="dev",state="missing"} 1`,
		`strata_gate_state{gate="route",kind="http",layer="argocd",stack="dev",state="waiting"} 0`,
		`strata_gate_state{gate="pool",kind="pool",layer="metallb",stack="dev",state="missing"} 0`,
		`strata_gate_end_timestamp_seconds{gate="api",kind="server",layer="k3s",stack="dev"} 1.81e+09`,
		`strata_health_complete{stack="dev"} 1`,
		`strata_health_timestamp_seconds{stack="dev"} 1.8e+09`,
	} {
		assert.Contains(t, out.String(), line+"\n")
	}
	assert.NotContains(t, out.String(), `strata_gate_ask_duration_seconds{gate="route"`,
		"it was not asked")
	assert.NotContains(t, out.String(), `strata_gate_end_timestamp_seconds{gate="pool"`,
		"it does not end")
}

// names matches the names of Strata's metrics in a text.
var names = regexp.MustCompile(`strata_[a-z_]+`)

func TestAlertRulesUseExistingMetrics(t *testing.T) {
	var written strings.Builder
	ends := time.Unix(1810000000, 0)
	require.NoError(t, WriteRun(&written,
		timeline.Run{Bars: []timeline.Bar{{Gate: true, Op: "create"}}}))
	require.NoError(t,
		WriteHealth(&written,
			Health{Stack: "dev", Results: []health.Result{
				{Checks: []health.Verdict{{Ends: &ends}}}}, At: time.Now()}))
	require.NoError(t, WriteDrift(&written, "dev", &drift.Report{}, time.Now()))
	rules, err := os.ReadFile("../../monitoring/strata.rules.yaml")
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	require.NoError(t, yaml.Unmarshal(rules, &file))
	asked := 0
	for _, rule := range file.Groups[0].Rules {
		for _, name := range names.FindAllString(rule.Expr, -1) {
			assert.Contains(t, written.String(), "# TYPE "+name+" gauge", rule.Alert)
			asked++
		}
	}
	assert.GreaterOrEqual(t, asked, 5)
}
