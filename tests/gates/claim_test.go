package gates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/claim"
	"strata/tests/gates/fakeapi"
)

const claimText = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-vault-0, namespace: vault}
spec: { {{if .class}}storageClassName: {{.class}}{{end}} }
status: {phase: {{.phase}}}
`

const storageClassText = `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: {{.name}}, annotations: {storageclass.kubernetes.io/is-default-class: "{{.default}}"}}
provisioner: {{.provisioner}}
`

func claimCluster(t testing.TB) (*fakeapi.Cluster, health.Spec) {
	t.Helper()
	c := fakeapi.New(t, 1)
	c.Serve("v1", "PersistentVolumeClaim",
		fakeapi.Resource{Plural: "persistentvolumeclaims", Namespaced: true})
	c.Serve("storage.k8s.io/v1", "StorageClass", fakeapi.Resource{Plural: "storageclasses"})
	return c, health.Spec{Servers: c.URLs(), Body: claim.Spec{
		Namespace: "vault", Name: "data-vault-0", ClassKey: "strata:vault.storage.class",
	}}
}

func TestClaimGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name, class, says string
		classes           []map[string]any
	}{
		{"no StorageClass at all", "", "no StorageClass; there is", nil},
		{"no default one", "", "no StorageClass; there is slow",
			[]map[string]any{{"name": "slow", "default": "false", "provisioner": "p"}}},
		{"the wrong one", "fast", "StorageClass fast does not exist",
			[]map[string]any{{"name": "slow", "default": "true", "provisioner": "p"}}},
		{"no volume was made", "", "made by hand",
			[]map[string]any{{"name": "disk", "default": "true",
				"provisioner": "kubernetes.io/no-provisioner"}}},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c, spec := claimCluster(t)
			for _, class := range fault.classes {
				c.Put(object(t, storageClassText, class))
			}
			c.Put(object(t, claimText, map[string]any{"class": fault.class, "phase": "Pending"}))
			gate := start(t, c, spec)
			gate.says(fault.says)
			gate.stays(300 * time.Millisecond)
			c.Put(object(t, claimText, map[string]any{"class": fault.class, "phase": "Bound"}))
			gate.opens()
		})
	}
}

func TestClaimGateIsStuckOnLostVolume(t *testing.T) {
	t.Parallel()
	c, spec := claimCluster(t)
	c.Put(object(t, claimText, map[string]any{"class": "", "phase": "Lost"}))
	assert.Contains(t, start(t, c, spec).sticks(lag).Report(), "its volume is gone")
}
