package gates_test

import (
	"bytes"
	"testing"
	"text/template"
	"time"

	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/tests/gates/fakeapi"
)

// object fills a template with values, because the objects of a test differ little.
func object(t testing.TB, text string, values map[string]any) string {
	t.Helper()
	parsed, err := template.New("object").Option("missingkey=error").Parse(text)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, parsed.Execute(&out, values))
	return out.String()
}

const nodeText = `
apiVersion: v1
kind: Node
metadata: {name: {{.name}}, uid: uid-{{.name}}, labels: { {{- if .server}}node-role.kubernetes.io/control-plane: "true"{{end -}} }}
spec: {taints: [{{if .taint}}{key: {{.taint}}, effect: NoSchedule}{{end}}]}
status:
  addresses: [{type: InternalIP, address: {{.ip}}}]
  conditions: [{type: Ready, status: "{{.ready}}", reason: KubeletReady, message: "{{.message}}"}]
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: {{.name}}, namespace: kube-node-lease}
spec: {holderIdentity: {{.name}}, leaseDurationSeconds: 40, renewTime: "{{.renewed}}"}
`

// node returns a Ready Node with a fresh Lease, changed by values.
func node(t testing.TB, name, ip string, values map[string]any) string {
	t.Helper()
	all := map[string]any{
		"name": name, "ip": ip, "server": false, "taint": "", "ready": "True",
		"message": "kubelet is posting ready status",
		"renewed": time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
	}
	for key, value := range values {
		all[key] = value
	}
	return object(t, nodeText, all)
}

// expected are the hosts that the tests of the nodes gate expect.
var expected = []health.Host{host("server-1", "10.10.0.11", "server"),
	host("agent-1", "10.10.0.12", "agent")}

func host(name, address, role string) health.Host {
	h := health.Host{Role: role}
	h.Name, h.Address = name, address
	return h
}

// readyNodes adds the expected Nodes to a cluster.
func readyNodes(t testing.TB, c *fakeapi.Cluster) {
	t.Helper()
	c.PutAll(node(t, "server-1", "10.10.0.11", map[string]any{"server": true}))
	c.PutAll(node(t, "agent-1", "10.10.0.12", nil))
}
