package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/backend"
	"github.com/pulumi/pulumi/pkg/v3/engine"
	lt "github.com/pulumi/pulumi/pkg/v3/engine/lifecycletest/framework"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	checkpoints "github.com/pulumi/pulumi/pkg/v3/resource/stack"
	"github.com/pulumi/pulumi/pkg/v3/secrets/b64"
	"github.com/pulumi/pulumi/pkg/v3/util/cancel"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/components"
	"strata/config"
)

// checkpoint saves the state like the file backend: the whole state after each step.
type checkpoint struct {
	path string
	last *apitype.DeploymentV3
}

func (c *checkpoint) Save(deployment apitype.TypedDeployment) error {
	c.last = deployment.Deployment
	text, err := json.Marshal(deployment.Deployment)
	if err != nil {
		return err
	}
	return os.WriteFile(c.path, text, 0o600)
}

// timedUp runs an update like the command line, and returns its duration and the number of its
// steps by kind. run is slower, because its harness checks every intermediate state.
func (s *stack) timedUp() (time.Duration, map[string]int) {
	s.t.Helper()
	defer s.begins()()
	target := s.plan.GetTarget(s.t, s.snapshot)
	saved := &checkpoint{path: s.t.TempDir() + "/state.json"}
	secrets := b64.NewBase64SecretsManager()
	manager := backend.NewSnapshotManager(saved, secrets, target.Snapshot, nil)
	canceled, _ := cancel.NewContext(context.Background())
	events := make(chan engine.Event)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for range events { // the events only have to be received
		}
	}()
	options := s.plan.Options.Options()
	options.Parallel = s.parallel
	host := s.plan.Options.HostF()
	options.HostFactory = func(context.Context, diag.Sink, diag.Sink,
		plugin.DebugContext) (plugin.Host, error) {
		return host, nil
	}
	began := time.Now()
	_, changes, err := engine.Update(lt.NewUpdateInfo(s.plan.GetProject(), target), &engine.Context{
		Cancel: canceled, Events: events, SnapshotManager: manager,
		PluginManager: lt.NopPluginManager{},
	}, options, false)
	require.NoError(s.t, err)
	require.NoError(s.t, manager.Close())
	took := time.Since(began)
	close(events)
	<-drained
	require.NoError(s.t, host.Close())
	if saved.last != nil {
		s.snapshot, err = checkpoints.DeserializeDeploymentV3(s.t.Context(), *saved.last,
			checkpoints.Base64SecretsProvider{})
		require.NoError(s.t, err)
		s.snapshot.SecretsManager = nil // GetTarget copies the snapshot, and cannot copy this
	}
	counts := map[string]int{}
	for op, n := range changes {
		counts[string(op)] = n
	}
	return took, counts
}

// workloads returns a program with a number of workloads in a cluster. Each has a certificate and a
// gate that waits for the certificate.
func workloads(number int) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		cfg, err := config.FromPulumi(ctx)
		if err != nil {
			return err
		}
		files, err := artifacts.Resolve(cfg, ".")
		if err != nil {
			return err
		}
		hosts, err := components.NewHosts(ctx, "hosts", &components.HostsArgs{
			Cluster: "k3s", Config: cfg.Hosts, Stack: cfg.Stack, IPVS: cfg.K3s.UsesIPVS(),
			Timeout: cfg.Timeouts.Host, Artifacts: files,
		})
		if err != nil {
			return err
		}
		k3s, err := components.NewK3s(ctx, "k3s",
			&components.K3sArgs{Config: cfg.K3s, Upgrade: cfg.Upgrade, Hosts: hosts,
				Artifacts: files,
				Timeouts:  cfg.Timeouts})
		if err != nil {
			return err
		}
		for i := range number {
			name := fmt.Sprintf("workload-%d", i)
			if _, err := components.NewCertificate(ctx, name, &components.CertificateArgs{
				Namespace: "default", Secret: name, DNSNames: []string{name + ".example.test"},
				Signer: components.Signer{Issuer: "authority"}, Cluster: k3s.Cluster,
				Timeouts: cfg.Timeouts, Layer: "workloads", After: []pulumi.Resource{k3s.Upgraded},
			}); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestWorkloadsOfCostBenchmarkDeployOnce(t *testing.T) {
	s := newStack(t, "local")
	s.registers = workloads(3)
	_, changed := s.timedUp()
	assert.Greater(t, changed["create"], 3*3)
	assert.NotNil(t, s.stored()["workload-2-gate"])
	_, changed = s.timedUp()
	assert.Equal(t, []string{"same"}, keys(changed))
}

func keys(counts map[string]int) []string {
	var list []string
	for key := range counts {
		list = append(list, key)
	}
	return list
}
