package health

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// script is a Watch that reports given verdicts at given times, and then only waits.
type script []struct {
	after  time.Duration
	checks []Verdict
}

func (s script) Run(ctx context.Context, report func([]Verdict)) error {
	for _, step := range s {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(step.after):
			report(step.checks)
		}
	}
	<-ctx.Done()
	return nil
}

var (
	ready1   = Verdict{Check: "node-1", State: Ready}
	waiting2 = Verdict{Check: "node-2", State: Waiting, Message: "NotReady"}
	stuck2   = Verdict{Check: "node-2", State: Stuck, Message: "wrong token", Cause: "token",
		Hint: "set it", Evidence: []string{"log line"}}
	ready2   = Verdict{Check: "node-2", State: Ready}
	skipped2 = Verdict{Check: "node-2", State: Skipped, Message: "no SSH"}
	behind   = Verdict{Check: "pods", State: Waiting, Message: "none", After: []string{"node-2"}}
)

func ask(t *testing.T, s script) (Result, string) {
	t.Helper()
	var progress bytes.Buffer
	spec := Spec{Body: testBody{}, Gate: "nodes", Layer: "k3s",
		Timeout: metav1.Duration{Duration: time.Minute}, TimeoutKey: "strata:timeouts.nodes"}
	result, err := wait(t.Context(), spec, s, &progress)
	require.NoError(t, err)
	return result, progress.String()
}

func TestWaitEndsByVerdictOrTimeout(t *testing.T) {
	for _, test := range []struct {
		name   string
		script script
		ending Ending
		state  State
		after  time.Duration
	}{
		{"opens when every check passes",
			script{{2 * time.Second, []Verdict{ready1, waiting2}},
				{3 * time.Second, []Verdict{ready1, ready2}}}, EndedOpen, Ready, 5 * time.Second},
		{"opens when a check is skipped", script{{time.Second, []Verdict{ready1, skipped2}}},
			EndedOpen, Ready, time.Second},
		{"is skipped when every check is", script{{time.Second, []Verdict{skipped2}}}, EndedOpen,
			Skipped, time.Second},
		{"ends at once when stuck", script{{time.Second, []Verdict{waiting2}},
			{time.Second, []Verdict{ready1, stuck2}}}, EndedStuck, Stuck, 2 * time.Second},
		{"ends at the deadline", script{{time.Second, []Verdict{ready1, waiting2}}}, EndedTimeout,
			Waiting, time.Minute},
		{"never opens without a verdict", script{}, EndedTimeout, Waiting, time.Minute},
		{"never opens on an empty list of checks", script{{time.Second, nil}}, EndedTimeout,
			Waiting, time.Minute},
		{"does not count a check that passed once",
			script{{time.Second, []Verdict{ready1, waiting2}},
				{time.Second, []Verdict{waiting2, waiting2}}}, EndedTimeout, Waiting, time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				result, _ := ask(t, test.script)
				assert.Equal(t, test.ending, result.Ending)
				assert.Equal(t, test.state, result.State)
				assert.Equal(t, test.after, result.Elapsed.Duration)
				assert.Equal(t, test.ending == EndedOpen, result.Passes())
			})
		})
	}
}

func TestProgressHasOneLinePerChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, progress := ask(t, script{
			{time.Second, []Verdict{ready1, waiting2, behind}},
			{time.Second, []Verdict{ready1, waiting2, behind}},
			{12 * time.Second, []Verdict{ready1,
				{Check: "node-2", State: Waiting, Message: "container runtime network not ready"},
				behind}},
			{time.Second, []Verdict{ready1, ready2, {Check: "pods", State: Ready}}},
		})
		assert.Equal(t, []string{
			"nodes: 1/3 Ready; node-2: NotReady; 1 more behind, 1 s",
			"nodes: 1/3 Ready; node-2: container runtime network not ready; 1 more behind, 14 s",
			"nodes: 3/3 Ready, 15 s",
			"",
		}, strings.Split(progress, "\n"))
	})
}

func TestInterruptedGateIsNotATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		spec := Spec{Gate: "nodes", Timeout: metav1.Duration{Duration: time.Minute}}
		result, err := wait(ctx, spec, script{{time.Second, []Verdict{waiting2}}}, &bytes.Buffer{})
		require.NoError(t, err)
		assert.Equal(t, EndedInterrupted, result.Ending)
		assert.Equal(t, 5*time.Second, result.Elapsed.Duration)
	})
}

type brokenWatch struct{ err error }

func (b brokenWatch) Run(context.Context, func([]Verdict)) error { return b.err }

func TestWatchThatEndsEarlyIsAnError(t *testing.T) {
	spec := Spec{Gate: "nodes", Timeout: metav1.Duration{Duration: time.Minute}}
	for _, broken := range []error{nil, errors.New("no key")} {
		_, err := wait(t.Context(), spec, brokenWatch{broken}, &bytes.Buffer{})
		require.ErrorIs(t, err, errWatchEnded)
	}
}

func TestReportExplainsGateResult(t *testing.T) {
	spec := Spec{Gate: "nodes", Layer: "k3s", Timeout: metav1.Duration{Duration: time.Minute},
		TimeoutKey: "strata:timeouts.nodes"}
	for _, test := range []struct {
		name   string
		result Result
		want   string
	}{
		{"stuck shows cause, evidence and fix first", NewResult(spec, EndedStuck, 3*time.Second, []Verdict{waiting2withName("a"), stuck2, behind}), `
layer k3s, gate nodes: stuck after 3s, waiting longer cannot help: 3 of 3 checks not ready
  node-2 (stuck): wrong token
    cause: token
    evidence: log line
    fix: set it
  a (waiting): NotReady
  1 more: not listed, they cannot pass before the above
`},
		{"timeout names the key and value", NewResult(spec, EndedTimeout, time.Minute, []Verdict{ready1, waiting2}), `
layer k3s, gate nodes: timed out after 1m0s: 1 of 2 checks not ready
  node-2 (waiting): NotReady
  deadline: strata:timeouts.nodes is 1m0s; raise it only if the above needs nothing but more time
`},
		{"timeout without any observation says so", NewResult(spec, EndedTimeout, time.Minute, nil), `
layer k3s, gate nodes: timed out after 1m0s: 0 of 0 checks not ready
  nothing could be observed before the gate ended
  deadline: strata:timeouts.nodes is 1m0s; raise it only if the above needs nothing but more time
`},
		{"open names skipped checks and warnings", NewResult(spec, EndedOpen, time.Second, []Verdict{ready1, skipped2, {Check: "cloud-init", State: Ready, Message: "warnings", Hint: "look"}}), `
nodes: ready after 1s
  skipped node-2: no SSH
  warning cloud-init: warnings; look
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, strings.TrimPrefix(test.want, "\n"), test.result.Report())
		})
	}
}

func waiting2withName(name string) Verdict {
	v := waiting2
	v.Check = name
	return v
}

func TestChecksWithCyclicPrerequisitesAreShown(t *testing.T) {
	a := Verdict{Check: "a", State: Waiting, After: []string{"b"}}
	b := Verdict{Check: "b", State: Waiting, After: []string{"a"}}
	failing, hidden := Split([]Verdict{a, b})
	assert.Len(t, failing, 2)
	assert.Zero(t, hidden)
}
