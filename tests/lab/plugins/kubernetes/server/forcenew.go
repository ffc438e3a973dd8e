package server

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var (
	selector   = []string{"spec.selector"}
	roleRef    = []string{"roleRef"}
	immutables = map[string][]string{
		"apps/v1/DaemonSet":  selector,
		"apps/v1/Deployment": selector,
		"apps/v1/StatefulSet": {
			"spec.podManagementPolicy", "spec.revisionHistoryLimit", "spec.selector",
			"spec.serviceName", "spec.volumeClaimTemplates",
		},
		"batch/v1/Job": {"spec.completions", "spec.parallelism", "spec.selector", "spec.template"},
		"v1/PersistentVolumeClaim": {
			"spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeName",
		},
		"v1/Service":       {"spec.clusterIP"},
		"v1/Secret":        {"type"},
		"v1/ResourceQuota": {"spec.scopes"},
		"v1/Pod": {
			"spec.containers", "spec.initContainers", "spec.nodeName", "spec.nodeSelector", "spec.volumes",
			"spec.hostNetwork", "spec.hostPID", "spec.hostIPC", "spec.restartPolicy", "spec.securityContext",
			"spec.serviceAccountName", "spec.affinity", "spec.dnsPolicy", "spec.priorityClassName",
		},
		"storage.k8s.io/v1/StorageClass":                  {"parameters", "provisioner"},
		"rbac.authorization.k8s.io/v1/ClusterRoleBinding": roleRef,
		"rbac.authorization.k8s.io/v1/RoleBinding":        roleRef,
	}
)

// forceNew are the paths whose change replaces the object: its identity, and
// what its kind cannot change in place. A Secret's or ConfigMap's data replaces
// it too, unless the provider was told that they are mutable.
func (s *Server) forceNew(inputs *unstructured.Unstructured) []string {
	paths := []string{"metadata.name", "metadata.namespace"}
	kind := inputs.GetAPIVersion() + "/" + inputs.GetKind()
	immutable, _, _ := unstructured.NestedBool(inputs.Object, "immutable")
	switch {
	case kind == "v1/Secret" && (!s.settings.secretMutable || immutable):
		return append(paths, "type", "stringData", "data")
	case kind == "v1/ConfigMap" && (!s.settings.configMapMutable || immutable):
		return append(paths, "binaryData", "data")
	}
	return append(paths, immutables[kind]...)
}

var indexes = regexp.MustCompile(`\[\d+\]`)

// forces says whether the changed path lies at or below one of the paths.
func forces(paths []string, changed string) bool {
	changed = indexes.ReplaceAllString(changed, "")
	for _, path := range paths {
		rest, below := strings.CutPrefix(changed, path)
		if below && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}
