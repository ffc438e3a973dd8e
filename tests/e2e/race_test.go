package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"strata/actions/cluster/crds"
)

// races has the cases of the program in the folder race that must fail, with the errors.
var races = []struct{ name, refusedBy, because string }{
	{"pool", "ipaddresspoolvalidationwebhook.metallb.io",
		"connection refused|no endpoints available|unknown authority"},
	{"issuer", "webhook.cert-manager.io",
		"connection refused|no endpoints available|unknown authority"},
	{"certificate", "cert-manager.io/v1",
		"no matches for kind|could not find the requested resource|not found"},
}

// losesEachRace runs each case of the program without gates in the stack's cluster, and destroys
// it. The nodes are cordoned meanwhile, so that no webhook can serve before the first request, even
// on a slow machine.
func (s *stack) losesEachRace(t *testing.T, hosts *hostSet) {
	for _, name := range nodeNames(t, s.client()) {
		hosts.must("server-1", "k3s kubectl cordon "+name)
		defer hosts.must("server-1", "k3s kubectl uncordon "+name)
	}
	for _, race := range races {
		t.Run(race.name, func(t *testing.T) {
			r := s.race(t, race.name)
			refused := r.up()
			require.Error(t, refused.err, "%s", refused.output)
			assert.Contains(t, refused.output, race.refusedBy, "it is refused by what is not ready")
			assert.Regexp(t, race.because, refused.output)
			r.must(r.destroy())
			s.definitionsGone(t)
		})
	}
}

// race returns a stack of the program without gates, in the cluster of this stack.
func (s *stack) race(t *testing.T, name string) *stack {
	program := filepath.Join(root, "tests/e2e/race")
	r := &stack{t: t, name: "race-" + name, dir: t.TempDir(), program: program}
	r.config = filepath.Join(r.dir, "Pulumi."+r.name+".yaml")
	r.env = append(s.env[:len(s.env):len(s.env)], "RACE_CASE="+name,
		"RACE_KUBECONFIG="+s.output("kubeconfig"), "RACE_CHARTS="+filepath.Join(bundle, "charts"))
	project, err := os.ReadFile(filepath.Join(program, "Pulumi.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "Pulumi.yaml"), project, 0o600))
	r.must(r.run("pulumi", "-C", r.dir, "stack", "init", r.name))
	return r
}

// definitionsGone waits until no CRD is being deleted. An object of such a kind would be refused
// for that reason and not because of the race.
func (s *stack) definitionsGone(t *testing.T) {
	t.Helper()
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(s.output("kubeconfig")))
	require.NoError(t, err)
	client := dynamic.NewForConfigOrDie(config)
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
		Resource: "customresourcedefinitions"}
	eventually(t, func(c require.TestingT) {
		assert.NoError(c, crds.Retry(context.Background(), client, metav1.ListOptions{}))
		all, err := client.Resource(definitions).List(context.Background(), metav1.ListOptions{})
		require.NoError(c, err)
		for _, definition := range all.Items {
			assert.Nil(c, definition.GetDeletionTimestamp(), definition.GetName())
		}
	})
}
