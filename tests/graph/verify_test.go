package graph_test

import (
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/components"
	"strata/platform"
	"strata/tests/pulumitest"
)

func TestVerifyReceivesEveryGateUnlessConfiguredOff(t *testing.T) {
	p := newProgram(t, "local")
	var asked []*components.Gate
	verified := platform.Program{Verify: func(_ *pulumi.Context, _ time.Time,
		gates []*components.Gate) error {
		asked = gates
		return nil
	}}
	run := func() graph {
		recorder := &pulumitest.Recorder{Outputs: p.answers.Outputs}
		require.NoError(t, pulumi.RunErr(verified.Run,
			pulumi.WithMocks("strata", p.stack, recorder)))
		return newGraph(recorder.Resources())
	}
	all := run()
	assert.Len(t, asked, len(all.where(func(r pulumitest.Resource) bool {
		return r.Text("create") == pulumitest.GateCommand
	})))
	asked = nil
	p.set(t, "verify", "off")
	run()
	assert.Empty(t, asked)
}
