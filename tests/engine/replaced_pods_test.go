package engine_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/components"
	"strata/platform"
)

// replacements records the changes that replace serving Pods. Before each one, the program checks
// the cluster.
type replacements struct {
	mutex   sync.Mutex
	changes []string
	servers []string
	// refuses is the result of the check.
	refuses error
}

// asks makes the stack's program use a as its check.
func (s *stack) asks(a *replacements) {
	s.registers = platform.Program{Connect: func(
		_ string, servers []string,
	) (components.Before, error) {
		return func(_ context.Context, change components.Change, _ func(string)) error {
			a.mutex.Lock()
			defer a.mutex.Unlock()
			a.servers = servers
			if !change.ReplacesPods() {
				return nil
			}
			a.changes = append(a.changes, change.Token)
			return a.refuses
		}, nil
	}}.Run
}

// took returns the changes since its last call, sorted.
func (a *replacements) took() []string {
	defer func() { a.changes = nil }()
	slices.Sort(a.changes)
	return a.changes
}

// An ingress controller that does not watch the API server would send requests to the deleted Pods.
// So the check must pass before Pods are replaced.
func TestServingPodsAreReplacedOnlyAfterClusterCheck(t *testing.T) {
	s, a := withShop(t, false), &replacements{}
	s.asks(a)
	s.mustUp()
	assert.Empty(t, a.took(), "nothing serves before it is there")
	assert.Equal(t, []string{"https://10.10.0.11:6443"}, a.servers)
	require.Empty(t, s.mustUp().changed())
	assert.Empty(t, a.took(), "nothing is waited for that does not change")

	s.shop(map[string]any{"image": "docker.io/acme/shop:1.2.4"})
	s.mustUp()
	assert.Equal(t, []string{"kubernetes:apps/v1:Deployment"}, a.took())

	s.set("traefik", "longestRequest", "31s")
	s.mustUp()
	assert.Contains(t, a.took(), "kubernetes:helm.sh/v3:Release")

	a.refuses = errors.New("the API server began 10s ago, and may not be watched yet")
	s.shop(map[string]any{"image": "docker.io/acme/shop:1.2.5"})
	did := s.up()
	require.Error(t, did.err)
	assert.NotContains(t, did.actions.names("update"), "workload-shop-deployment",
		"no Pod is touched")
	a.refuses = nil
	assert.Contains(t, s.mustUp().actions.names("update"), "workload-shop-deployment")
}
