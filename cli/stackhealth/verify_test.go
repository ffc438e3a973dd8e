package stackhealth

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions"
	"strata/actions/gate"
	"strata/components"
	"strata/health"
	"strata/health/server"
	"strata/internal/pulumi/self"
	"strata/internal/ssh/remote/sshtest"
)

// provider mocks the provider of a gate's command, which ended at a time or failed.
type provider struct {
	ended  time.Time
	failed error
}

func (p provider) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	printed, err := json.Marshal(health.Result{Gate: args.Name, Ended: p.ended})
	outputs := args.Inputs.Copy()
	outputs["stdout"] = resource.NewProperty(string(printed))
	return args.Name, outputs, errors.Join(err, p.failed)
}

func (provider) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) { return nil, nil }

// serveUnit starts a host whose K3s unit is in a state. asked returns how often the state was
// requested.
func serveUnit(t *testing.T, state, sub string) (server *sshtest.Server, asked func() int) {
	t.Helper()
	server = sshtest.Start(t)
	requests := make(chan struct{}, 100)
	server.Handler = func(call sshtest.Call) int {
		requests <- struct{}{}
		_, _ = fmt.Fprintf(call.Stdout, "LoadState=loaded\nActiveState=%s\nSubState=%s\nNRestarts=0\nend\n", state, sub)
		<-call.Gone
		return 0
	}
	return server, func() int { return len(requests) }
}

// runProgram runs a program with one gate, which ended at a time after the run's start, and calls
// Verify.
func runProgram(
	t *testing.T, host *sshtest.Server, after time.Duration, failed error,
	options ...pulumi.RunOption,
) error {
	t.Helper()
	began := time.Now()
	program := func(ctx *pulumi.Context) error {
		spec := health.Spec{
			Gate: "agent-1-gate", Layer: "k3s", Timeout: metav1.Duration{Duration: time.Minute},
			TimeoutKey: "strata:timeouts.api",
			Hosts:      []health.Host{{Target: host.Target(), Role: "agent"}}, Body: server.Spec{},
		}
		command, err := local.NewCommand(ctx, spec.Gate,
			actions.Command(gate.Ask, spec, pulumi.StringMap{
				self.SSHKey: pulumi.ToSecret(pulumi.String(string(host.PrivateKey()))).(pulumi.StringOutput),
			}))
		require.NoError(t, err)
		asked := []*components.Gate{{Command: command}}
		return Question{Stack: ctx.Stack(), Timeout: 2 * time.Second}.verify(ctx, began, asked)
	}
	options = append(options, pulumi.WithMocks("strata", "staging",
		provider{began.Add(after), failed}))
	return pulumi.RunErr(program, options...)
}

const earlier, inThisRun = -time.Hour, time.Second

func TestVerifyChecksGatesThatNoStepRan(t *testing.T) {
	running, asked := serveUnit(t, "active", "running")
	require.NoError(t, runProgram(t, running, earlier, nil))
	assert.Positive(t, asked())

	failed, _ := serveUnit(t, "failed", "failed")
	err := runProgram(t, failed, earlier, nil)
	require.ErrorContains(t, err,
		"1 of the 1 gates that no step of this run ran are closed (agent-1-gate); nothing is undone")
	require.ErrorContains(t, err, "layer k3s, gate agent-1-gate")
	require.ErrorContains(t, err, "strata health -s staging")
	assert.NotContains(t, err.Error(), "deadline", "no key sets this one")
}

func TestVerifySkipsGatesThatThisRunRan(t *testing.T) {
	failed, asked := serveUnit(t, "failed", "failed")
	require.NoError(t, runProgram(t, failed, inThisRun, nil))
	assert.Zero(t, asked())
}

func TestVerifyChecksNothingAfterFailedStep(t *testing.T) {
	failed, asked := serveUnit(t, "failed", "failed")
	err := runProgram(t, failed, earlier, errors.New("the step's own"))
	require.ErrorContains(t, err, "the step's own")
	assert.NotContains(t, err.Error(), "no step of this run")
	assert.Zero(t, asked())
}

func TestVerifyOnlyWarnsInPreview(t *testing.T) {
	failed, asked := serveUnit(t, "failed", "failed")
	require.NoError(t, runProgram(t, failed, earlier, nil,
		func(info *pulumi.RunInfo) { info.DryRun = true }))
	assert.Positive(t, asked())
}
