package e2e

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// replacesADeadServer deletes the first server's machine, and creates an empty one with the same
// name and address. While the other servers do not answer, the new one must not start a second
// cluster.
func (s *stack) replacesADeadServer(t *testing.T, hosts *hostSet) {
	const name = "server-1"
	old, err := s.client().CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	hosts.machineDo(t, name, "delete")
	key, err := os.ReadFile(hosts.keyFile)
	require.NoError(t, err)
	for _, n := range hosts.nodes {
		if n.name == name {
			require.NoError(t, hosts.create(n, key))
		}
	}
	// A new host has a new host key, which only the user can confirm.
	peers := []string{"server-2", "server-3"}
	for _, peer := range peers {
		hosts.must(peer, "systemctl stop ssh.socket ssh k3s")
	}
	s.refused(t, s.up("--replace", s.urn(t, "hosts-"+name+"-hostkey")),
		"no other server's K3s runs", "server server-2: ", "server server-3: ")
	hosts.must(name, "! systemctl is-active k3s && ! test -e /var/lib/rancher/k3s/server/db/etcd")
	for _, peer := range peers {
		hosts.must(peer, "systemctl start --no-block k3s; systemctl start ssh")
	}
	r := s.must(s.up())
	assert.Contains(t, r.output, name+" was another host; that one is taken out of the cluster")
	assert.Contains(t, r.output, name+" is free for its new host")
	fresh, err := s.client().CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	assert.NotEqual(t, old.UID, fresh.UID)
	s.healthy()
	s.must(s.up("--expect-no-changes"))

	// The new member must be a voter. Otherwise etcd has no quorum while another member is stopped.
	hosts.must("server-2", "systemctl stop k3s")
	client := s.anyServer(t, hosts.servers())
	eventually(t, func(c require.TestingT) { // etcd may need an election
		_, err := client.CoreV1().ConfigMaps("default").Create(context.Background(),
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "written-with-two"}},
			metav1.CreateOptions{})
		if !apierrors.IsAlreadyExists(err) { // an earlier attempt may have succeeded
			require.NoError(c, err)
		}
	})
	hosts.must("server-2", "systemctl start k3s")
}
