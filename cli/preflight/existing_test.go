package preflight

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/gates/fakeapi"
)

// existingCluster returns a cluster with one Node. allowed is the API server's answer to every
// question about the user's permissions.
func existingCluster(t *testing.T, allowed bool) (*fakeapi.Cluster, ExistingCluster) {
	t.Helper()
	c := fakeapi.New(t, 1)
	c.Raw("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
		func(w http.ResponseWriter, r *http.Request) {
			var review map[string]any
			assert.NoError(t, json.NewDecoder(r.Body).Decode(&review))
			review["status"] = map[string]any{"allowed": allowed}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusCreated)
			assert.NoError(t, json.NewEncoder(w).Encode(review))
		})
	c.Put(
		`{apiVersion: v1, kind: Node, metadata: {name: kind-worker}, status: {conditions: [{type: Ready, status: "True", lastHeartbeatTime: "` +
			time.Now().UTC().Format(time.RFC3339) + `"}]}}`)
	return c, ExistingCluster{Name: "context kind-kind", Server: c.URLs()[0],
		Kubeconfig: c.Kubeconfig(), MetalLB: true, Traefik: true}
}

// failing returns the message and the hint of each check that does not pass.
func failing(t *testing.T, cluster ExistingCluster) map[string]string {
	t.Helper()
	findings, err := CheckExisting(t.Context(), cluster)
	require.NoError(t, err)
	message := map[string]string{}
	for _, one := range findings {
		assert.Equal(t, "context kind-kind", one.Subject)
		if !one.Passes() {
			message[one.Check] = one.Message + " " + one.Hint
		}
	}
	assert.GreaterOrEqual(t, len(findings), 5)
	return message
}

func TestPreflightPassesOnSuitableExistingCluster(t *testing.T) {
	_, cluster := existingCluster(t, true)
	assert.Empty(t, failing(t, cluster))
}

func TestPreflightReportsConflictsOfExistingCluster(t *testing.T) {
	const balancer = `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: svclb-x, namespace: kube-system, labels: {svccontroller.k3s.cattle.io/svcname: shop}}}`
	const traefik = `{apiVersion: v1, kind: Service, metadata: {name: traefik, namespace: kube-system}}`

	t.Run("a user with few rights", func(t *testing.T) {
		_, cluster := existingCluster(t, false)
		assert.Contains(t, failing(t, cluster)["permissions"], "cluster-admin")
	})
	t.Run("K3s's own load balancer and Traefik", func(t *testing.T) {
		c, cluster := existingCluster(t, true)
		c.Put(balancer)
		c.Put(traefik)
		message := failing(t, cluster)
		assert.Contains(t, message["no other load balancer"], "servicelb serves shop")
		assert.Contains(t, message["no other Traefik"], "--disable=traefik,servicelb")
		cluster.MetalLB, cluster.Traefik = false, false
		assert.Empty(t, failing(t, cluster), "who brings neither may have theirs")
	})
	t.Run("no Node", func(t *testing.T) {
		c, cluster := existingCluster(t, true)
		c.Delete("v1", "nodes", "", "kind-worker")
		assert.Contains(t, failing(t, cluster)["node set"], "no Nodes registered")
	})
	t.Run("an API server that is down", func(t *testing.T) {
		c, cluster := existingCluster(t, true)
		c.Servers[0].Stop()
		message := failing(t, cluster)
		assert.Contains(t, message["api"], "refuses")
		assert.Contains(t, message, "permissions", "it is not known")
	})
	t.Run("refused credentials", func(t *testing.T) {
		c, cluster := existingCluster(t, true)
		c.Servers[0].Script(fakeapi.Script{Unauthorized: true})
		assert.Contains(t, failing(t, cluster)["api"], "401")
		assert.Contains(t, failing(t, cluster)["api"], "strata:cluster.context",
			"we cannot log in on its server")
	})
}
