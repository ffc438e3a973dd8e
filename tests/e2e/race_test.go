package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// races are what the program in the folder race does without a gate, and what comes of it.
var races = []struct{ name, refusedBy, because string }{
	{"pool", "ipaddresspoolvalidationwebhook.metallb.io", "connection refused|no endpoints available|unknown authority"},
	{"issuer", "webhook.cert-manager.io", "connection refused|no endpoints available|unknown authority"},
	{"certificate", "cert-manager.io/v1", "no matches for kind|could not find the requested resource|not found"},
}

// losesEachRace runs the program without a gate against the stack's cluster, and takes each away again.
func (s *stack) losesEachRace(t *testing.T) {
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

// race is a stack of the program without a gate, for the cluster of this stack.
func (s *stack) race(t *testing.T, name string) *stack {
	program := filepath.Join(root, "tests/e2e/race")
	r := &stack{t: t, name: "race-" + name, dir: t.TempDir(), program: program}
	r.config = filepath.Join(r.dir, "Pulumi."+r.name+".yaml")
	r.env = append(s.env[:len(s.env):len(s.env)], "RACE_CASE="+name, "RACE_KUBECONFIG="+s.output("kubeconfig"), "RACE_CHARTS="+filepath.Join(bundle, "charts"))
	project, err := os.ReadFile(filepath.Join(program, "Pulumi.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "Pulumi.yaml"), project, 0o600))
	r.must(r.run("pulumi", "-C", r.dir, "stack", "init", r.name))
	return r
}

// definitionsGone waits until no custom resource definition is on its way out: an object of a kind that is leaving is refused
// for that reason, and not for the race's. An API server that is still filling its cache of a new kind cannot list its objects, and
// tries to finish the deletion again after pauses that double.
func (s *stack) definitionsGone(t *testing.T) {
	t.Helper()
	definitions := s.client().RESTClient().Get().AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		text, err := definitions.DoRaw(context.Background())
		require.NoError(c, err)
		var all metav1.PartialObjectMetadataList
		require.NoError(c, json.Unmarshal(text, &all))
		for _, definition := range all.Items {
			assert.Nil(c, definition.DeletionTimestamp, definition.Name)
		}
	}, 3*time.Minute, 200*time.Millisecond)
}
