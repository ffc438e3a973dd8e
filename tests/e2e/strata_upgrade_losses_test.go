package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// command has the fields of a resource in the state that this story reads.
type command struct {
	URN, Type string
	Inputs    struct{ Delete any } // a text, or an object if it is a secret
}

// losesNothing previews the stack. The preview must delete no object of the cluster, and no command
// that does something when it is deleted.
func (s *stack) losesNothing(t *testing.T) {
	t.Helper()
	var state struct {
		Deployment struct{ Resources []command }
	}
	require.NoError(t, json.Unmarshal([]byte(
		s.must(s.run("pulumi", "stack", "export", "--stack", s.name)).output), &state))
	deletes := map[string]bool{}
	for _, one := range state.Deployment.Resources {
		deletes[one.URN] = one.Inputs.Delete != nil && one.Inputs.Delete != "" ||
			strings.HasPrefix(one.Type, "kubernetes:")
	}
	require.Contains(t, slices.Collect(maps.Values(deletes)), true, "the test looked at no delete")

	// run would mix Pulumi's stderr into the output, which is JSON.
	text, err := s.command(root, "pulumi", "preview", "--stack", s.name, "--config-file", s.config,
		"--non-interactive", "--json").Output()
	require.NoError(t, err, "%s", text)
	var preview struct {
		Steps []struct{ Op, URN string }
	}
	require.NoError(t, json.Unmarshal(text, &preview))
	ops := map[string]int{}
	for _, step := range preview.Steps {
		ops[step.Op]++
		if !slices.Contains([]string{"same", "create", "update"}, step.Op) {
			assert.False(t, deletes[step.URN], "%s %s", step.Op, step.URN)
		}
	}
	t.Logf("preview: %v", ops)
	require.NotZero(t, ops["update"]+ops["delete"]+ops["replace"], "there is nothing to take over")
}

// running returns everything that an upgrade of Strata must not restart or recreate: units of
// hosts, objects of the cluster, and Pods with their containers.
func (s *stack) running(t *testing.T, hosts *hostSet) map[string]string {
	t.Helper()
	all := s.objects(t)
	for _, n := range hosts.nodes {
		all["host "+n.name] = hosts.must(n.name, `for unit in k3s k3s-agent keepalived; do
	echo $unit $(systemctl show -P ActiveState -P ActiveEnterTimestamp -P InvocationID -P NRestarts $unit)
done
sha256sum /etc/rancher/k3s/config.yaml /usr/local/bin/k3s /var/lib/strata/owner`)
	}
	for _, pod := range s.pods(t) {
		text := string(pod.UID)
		for _, one := range pod.Status.ContainerStatuses {
			text += fmt.Sprintf(" %s %d", one.ContainerID, one.RestartCount)
		}
		all["Pod "+pod.Namespace+"/"+pod.Name] = text
	}
	return all
}

// pods returns all Pods of the cluster.
func (s *stack) pods(t *testing.T) []corev1.Pod {
	t.Helper()
	pods, err := s.client().CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, pods.Items)
	return pods.Items
}
