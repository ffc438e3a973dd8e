package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/components"
	"strata/config"
	"strata/health/rollout"
	"strata/platform"
	"strata/tests/pulumitest"
)

// contextOf is a kubeconfig with placeholders for the CA and a user's token.
const contextOf = `apiVersion: v1
kind: Config
current-context: made
clusters: [{name: made, cluster: {server: "https://127.0.0.1:34567", certificate-authority-data: %s}}]
contexts: [{name: made, context: {cluster: made, user: made}}]
users: [{name: made, user: {token: %s}}]
`

// made has values that other resources of a program return, unknown until those exist.
type made struct{ kubeconfig, ranges string }

// ownProgram returns a program that takes a cluster, addresses and values from other resources,
// like examples/own-program.
func (m made) ownProgram() platform.Program {
	return platform.Program{
		Configure: func(cfg *config.Config) {
			cfg.MetalLB.Enabled, cfg.CertManager.Enabled = new(true), new(true)
		},
		Layers: m.layers,
	}
}

func (m made) layers(ctx *pulumi.Context, start platform.Start) error {
	drawn, err := random.NewRandomPassword(ctx, "drawn",
		&random.RandomPasswordArgs{Length: pulumi.Int(16)})
	if err != nil {
		return err
	}
	known, err := random.NewRandomId(ctx, "known", &random.RandomIdArgs{ByteLength: pulumi.Int(8)})
	if err != nil {
		return err
	}
	existing, err := components.NewExistingCluster(ctx, "cluster", &components.ExistingClusterArgs{
		Kubeconfig: drawn.Result.ApplyT(
			func(token string) string { return fmt.Sprintf(m.kubeconfig, pulumitest.CA, token) }).(pulumi.StringOutput),
		Timeouts: start.Config.Timeouts, Artifacts: start.Artifacts,
	})
	if err != nil {
		return err
	}
	layer := start.Layer(existing.Cluster)
	_, err = components.NewMetalLB(ctx, "metallb", &components.MetalLBArgs{
		Layer: layer, Config: start.Config.MetalLB,
		Addresses: known.Hex.ApplyT(func(string) []string { return []string{m.ranges} }).(pulumi.StringArrayOutput),
		Values:    pulumi.Map{"controller": pulumi.Map{"logLevel": drawn.Result}},
	})
	if err != nil {
		return err
	}
	manager, err := components.NewCertManager(ctx, "cert-manager", &components.CertManagerArgs{
		Layer: layer, Config: start.Config.CertManager,
	})
	if err != nil {
		return err
	}
	_, err = components.NewGate(ctx, "hello-rollout", &components.GateArgs{
		Cluster: existing.Cluster, Body: rollout.Spec{
			Workloads: []string{"hello/Deployment/hello"}},
		Timeout: metav1.Duration{Duration: time.Minute}, TimeoutKey: "own:timeout",
		After: []pulumi.Resource{manager.API},
	})
	return err
}

// newOwnProgram returns an empty stack of a user's program, without hosts and without a cluster.
func newOwnProgram(t *testing.T, m made) *stack {
	t.Helper()
	s := newStack(t, "kind")
	s.config, s.registers = map[string]section{}, m.ownProgram().Run
	return s
}

const ranges = "172.18.255.200-172.18.255.250"

func TestOwnProgramPreviewsBeforeClusterExists(t *testing.T) {
	s := newOwnProgram(t, made{contextOf, ranges})
	seen := s.preview()
	require.NoError(t, seen.err)
	assert.Empty(t, seen.actions)
	for resource, steps := range seen.steps {
		assert.Equal(t, []string{"create"}, steps, resource)
	}
	assert.True(t, seen.inputs["metallb-pool-gate"]["stdin"].ContainsUnknowns())
	built := s.mustUp()
	for resource := range built.steps {
		assert.Contains(t, seen.steps, resource,
			"no unknown value decides which resources there are")
	}
	assert.Empty(t, s.mustUp().changed())
}

func TestOutputsOfOtherResourcesReachObjectsAndGates(t *testing.T) {
	s := newOwnProgram(t, made{contextOf, ranges})
	s.mustUp()
	stored := s.stored()
	pool := stored["metallb-pool-gate"].Inputs["stdin"].StringValue()
	assert.Contains(t, pool, ranges)
	assert.Contains(t, pool, "https://127.0.0.1:34567")
	assert.Contains(t, revealed(stored["metallb-pool"].Inputs), ranges)
	assert.Contains(t, stored["hello-rollout"].Inputs["stdin"].StringValue(),
		"https://127.0.0.1:34567")
	assert.Equal(t, ranges, stored["metallb"].Outputs["addresses"].ArrayValue()[0].StringValue())
	assert.Equal(t, "https://127.0.0.1:34567", stored["cluster"].Outputs["endpoint"].StringValue())

	// The token and the random value must be secret everywhere.
	assert.True(t, stored["cluster-provider"].Inputs["kubeconfig"].ContainsSecrets())
	assert.True(t, stored["metallb-release"].Inputs["values"].ContainsSecrets())
	for name, state := range stored {
		for _, values := range []resource.PropertyMap{state.Inputs, state.Outputs} {
			assert.Empty(t, pulumitest.FindPlain(name, resource.NewProperty(values),
				pulumitest.Token))
		}
	}
}

func TestChangedRangeOutputRunsPoolGate(t *testing.T) {
	s := newOwnProgram(t, made{contextOf, ranges})
	s.mustUp()
	s.registers = made{contextOf, "172.18.255.220-172.18.255.250"}.ownProgram().Run
	changed := s.mustUp().changed()
	assert.Contains(t, changed, "metallb-pool")
	assert.Contains(t, changed, "metallb-pool-gate")
	assert.NotContains(t, changed, "metallb-release")
}

func TestInvalidOutputsOfOtherResourcesFailTheUpdate(t *testing.T) {
	for want, wrong := range map[string]made{
		"strata:metallb.addresses[0]: 172.18.255.300 is not an address range": {contextOf,
			"172.18.255.300"},
		"has no current context": {"apiVersion: v1\nkind: Config\n# %s %s\n",
			ranges},
		`server "http://api" is not https://address`: {
			"apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: a, cluster: " +
				"{server: \"http://api\"}}]\ncontexts: [{name: a, context: {cluster: a, user: " +
				"a}}]\nusers: [{name: a, user: {token: b}}]\n# %s %s\n", ranges},
	} {
		s := newOwnProgram(t, wrong)
		failed := s.up()
		require.ErrorContains(t, failed.err, want)
		assert.NotContains(t, s.stored(), "metallb-pool")
		assert.NotContains(t, failed.err.Error(), pulumitest.Token)
	}
}

func TestPlatformComponentsHaveOutputs(t *testing.T) {
	s := newStack(t, "local")
	s.mustUp()
	stored := s.stored()
	for component, secret := range map[string]map[string]bool{
		"k3s":     {"endpoint": false, "kubeconfig": true, "readerKubeconfig": true},
		"metallb": {"addresses": false},
		"traefik": {"ip": false, "dashboardUrl": false, "dashboardPassword": true},
		"argocd":  {"url": false, "adminPassword": true}, "ca": {"certificate": false},
	} {
		for output, isSecret := range secret {
			require.Contains(t, stored[component].Outputs, resource.PropertyKey(output), component)
			assert.Equal(t, isSecret, stored[component].Outputs[resource.PropertyKey(
				output)].ContainsSecrets(), "%s.%s", component, output)
		}
	}
}
