package e2e

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"strata/tests/bench"
)

// hasAnAddress gives the API a virtual address, and asserts that it answers soon after the server
// that holds it stops.
func (s *stack) hasAnAddress(t *testing.T, hosts *hostSet, sections map[string]any) {
	vip := hosts.net.address(10)
	sections["k3s"] = map[string]any{"vip": vip}
	s.configure(sections)
	s.must(s.up())
	assert.Equal(t, "https://"+vip+":6443", s.output("apiEndpoint"))
	require.Contains(t, s.output("kubeconfig"), "https://"+vip+":6443")
	s.must(s.up("--expect-no-changes"))

	var holders []string
	for _, n := range hosts.nodes {
		if strings.Contains(hosts.must(n.name, "ip -o -4 addr show to "+vip+"/32"), vip) {
			holders = append(holders, n.name)
		}
	}
	require.Len(t, holders, 1, "one server holds it")
	holder := holders[0]
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	gap := make(chan time.Duration, 1)
	api := s.patientClient(t)
	go func() {
		gap <- longestSilence(ctx, func(ctx context.Context) error {
			return api.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
		})
	}()
	hosts.machineDo(t, holder, "stop", "--hard")
	eventually(t, func(c require.TestingT) {
		_, err := api.Discovery().ServerVersion()
		require.NoError(c, err)
	}, "no server took %s over from %s", vip, holder)
	hosts.machineDo(t, holder, "start")
	s.healthy()
	stop()
	took := <-gap
	t.Logf("the API was away for %s at most while %s was dead",
		took.Round(time.Millisecond), holder)
	s.record(t, bench.Most("endpoint_gap", "s", 0.5, 0, []float64{took.Seconds()}))
	// The time consists of VRRP's three missed advertisements and the client's timeout, and of an
	// election if the server also led etcd.
	assert.Less(t, took, apiAway, "the API was away for too long")
}

// patientClient returns a client of the exported kubeconfig whose requests time out after 2 s.
func (s *stack) patientClient(t *testing.T) kubernetes.Interface {
	t.Helper()
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(s.output("kubeconfig")))
	require.NoError(t, err)
	config.Timeout = 2 * time.Second
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

// machineDo runs a subcommand of `lab machines` on a machine.
func (l *hostSet) machineDo(t *testing.T, name string, subcommand ...string) {
	t.Helper()
	output, err := exec.Command(lab, append(append([]string{"machines"}, subcommand...),
		l.machine(name))...).CombinedOutput()
	require.NoError(t, err, "%s %s: %s", subcommand, name, output)
}
