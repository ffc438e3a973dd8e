package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// A stack installs its layers into an existing cluster, which a context of a kubeconfig names, and
// removes them again. The layers are APISIX and its demo.
func TestExistingClusterIsUnchangedAfterDestroy(t *testing.T) {
	t.Parallel()
	net := network{"stn0", "10.30.0"}
	all := []node{{"server-1", "server", 11}}
	hosts := existingHosts(t, "e2en", net, all...)
	owner := newStack(t, "e2e-owner", map[string]any{
		"hosts": hosts.hosts(all...), "metallb": map[string]any{"enabled": false},
		"certManager": map[string]any{"enabled": false},
	})
	kubeconfig := filepath.Join(t.TempDir(), "config")
	var before string
	owner.step("a cluster without a load balancer exists", func(t *testing.T) {
		owner.must(owner.up())
		hosts.importImages(t, "server-1", published...) // instead of a registry
		writeContexts(t, kubeconfig, owner.output("kubeconfig"), hosts.robotsToken())
		before = hosts.inCluster()
	})

	s := newStack(t, "e2e-existing", onExistingCluster(net, kubeconfig, "no-such-context"))
	s.step("a missing context is named before any change, with the existing ones",
		func(t *testing.T) {
			s.refused(t, s.up(), "strata:cluster.context: no-such-context is no context of "+
				kubeconfig,
				"certificate, production, token")
			assert.Empty(t, s.resources())
			assert.Equal(t, before, hosts.inCluster())
		})
	s.step("a missing image is named before any change, with the command that builds it",
		func(t *testing.T) {
			sections := onExistingCluster(net, kubeconfig, "certificate")
			s.configure(merged(sections, map[string]any{"apps": map[string]any{"demo": true}}))
			s.refused(t, s.up(), "strata:apps.restImage: is not set", "strata image go-rest")
			assert.Empty(t, s.resources())
			archive := filepath.Join(s.dir, "go-rest.tar")
			assert.Contains(t, s.must(s.run(strata, "image", "go-rest", "--output",
				archive)).output,
				restImage)
			hosts.importArchive(t, "server-1", archive)
		})
	s.step("preflight accepts the cluster", func(*testing.T) {
		s.configure(onExistingCluster(net, kubeconfig, "certificate"))
		s.must(s.run(strata, "preflight", "--stack", s.name, "--config-file", s.config))
	})
	s.step("with skip an update omits validation, and a LoadBalancer Service answers",
		func(t *testing.T) {
			var r result
			s.with("SKIP_FINAL_WAIT=true", func() { r = s.must(s.up()) })
			t.Logf("skip: %s", r.took.Round(time.Second))
			assert.NotContains(t, strings.Join(s.resources(), " "), "validation")
			assert.Contains(t, s.output("nodes"), net.address(11))
			assert.Equal(t, "https://"+net.address(11)+":6443", s.output("apiEndpoint"))
			serve(t, s.client(), "hello")
			answers(t, addressOf(t, s.client(), "hello"))
		})
	s.step("without skip an update probes every part of the demo", func(t *testing.T) {
		r := s.must(s.up())
		t.Logf("full, behind skip: %s", r.took.Round(time.Second))
		for _, probe := range []string{"httpbin", "REST without a key", "REST with the key", "login"} {
			assert.Contains(t, r.output, "http "+probe)
		}
	})
	s.step("a second update changes nothing, and health passes", func(*testing.T) {
		s.must(s.up("--expect-no-changes"))
		s.healthy()
	})
	s.step("a snapshot of an existing cluster is refused", func(t *testing.T) {
		s.refused(t, s.run(strata, "snapshot", "--stack", s.name), "runs on an existing cluster")
	})
	s.step("another credential replaces no resource", func(t *testing.T) {
		s.configure(onExistingCluster(net, kubeconfig, "token"))
		r := s.must(s.up())
		assert.Contains(t, r.output, "metallb-webhook updat", "gates ask with the new one")
		for _, word := range []string{" replac", " creating", " deleting"} {
			assert.NotContains(t, r.output, word)
		}
		answers(t, addressOf(t, s.client(), "hello"))
		s.must(s.up("--expect-no-changes"))
	})
	s.step("a refused manifest is named, and does not prevent the others", func(t *testing.T) {
		s.partialFailure(t, onExistingCluster(net, kubeconfig, "token"))
	})
	s.step("a namespace with objects of others is deleted only with consent", func(t *testing.T) {
		s.othersKeep(t, onExistingCluster(net, kubeconfig, "token"))
	})
	s.step("a context of another cluster is refused, and changes nothing", func(t *testing.T) {
		held := hosts.inCluster()
		elsewhere := anotherCluster(t, s.client(), kubeconfig)
		s.configure(onExistingCluster(net, kubeconfig, "elsewhere"))
		s.refused(t, s.up(), "refused, nothing was changed", net.address(11), elsewhere,
			"pulumi state delete --target-dependents")
		assert.Equal(t, held, hosts.inCluster())
		answers(t, addressOf(t, s.client(), "hello"))
		s.configure(onExistingCluster(net, kubeconfig, "token"))
		s.must(s.up())
		assert.Equal(t, held, hosts.inCluster())
	})
	s.step("a destroy of an address pool in use is refused", func(t *testing.T) {
		held := s.resources()
		s.refused(t, s.destroy(), "IPAddressPool metallb-system/default: Service default/hello")
		assert.Equal(t, held, s.resources())
		answers(t, addressOf(t, s.client(), "hello"))
	})
	s.step("destroy restores the cluster, also after `helm uninstall`", func(t *testing.T) {
		unserve(t, s, "hello")
		hosts.must("server-1", uninstalled("apisix", "apisix"))
		s.must(s.destroy())
		assert.Empty(t, s.resources())
		eventually(t, func(c require.TestingT) {
			assert.Equal(c, before, hosts.inCluster(),
				"what the cluster has after destroy and had not before (-before +after)")
		})
	})
	owner.step("a user's program with Strata's components leaves nothing after destroy",
		func(t *testing.T) {
			ownProgram(t, net, owner.output("kubeconfig"))
			eventually(t, func(c require.TestingT) {
				assert.Equal(c, before, hosts.inCluster(),
					"what the cluster has after destroy and had not before (-before +after)")
			})
		})
	owner.step("an update of the owner's stack changes nothing", func(*testing.T) {
		owner.must(owner.up("--expect-no-changes"))
		owner.healthy()
	})
}

// restImage is the demo's REST API image, as `strata image` names it. published are archives of the
// bundle that the host imports instead of a registry's images.
const restImage = "localhost/strata/go-rest:1.0.0"

var published = []string{
	"controller", "speaker", "cert-manager-controller", "cert-manager-webhook",
	"cert-manager-cainjector",
	"apisix-ingress-controller", "adc", "apisix", "keycloak", "go-httpbin",
}

// onExistingCluster returns the configuration of APISIX, its demo and their prerequisites on the
// cluster of a context. Its destroy also removes the CRDs.
func onExistingCluster(net network, kubeconfig, context string) map[string]any {
	return map[string]any{
		"cluster": map[string]any{"kubeconfig": kubeconfig, "context": context,
			"podNetwork": "10.42.0.0/16"},
		"metallb": map[string]any{"addresses": []any{net.pool()}},
		"ingress": map[string]any{"domain": "apisix.test", "controllers": []any{"apisix"}},
		"apisix":  map[string]any{"address": net.address(205), "replicas": 1},
		"apps":    map[string]any{"demo": true, "restImage": restImage},
		"crds":    map[string]any{"keep": false},
	}
}

// uninstalled returns a script that deletes a release like `helm uninstall`.
func uninstalled(namespace, release string) string {
	const text = `'{{range .items}}{{.data.release|base64decode|base64decode}}{{end}}'`
	kubectl, records := "k3s kubectl -n "+namespace, " secret -l owner=helm,name="+release
	return "set -eu\n" + kubectl + " get" + records + ",status=deployed -o go-template=" + text +
		" | gunzip | jq -r .manifest | " + kubectl + " delete -f -\n" + kubectl + " delete" + records
}

// robotsToken creates a ServiceAccount with all rights, and returns its token.
func (l *hostSet) robotsToken() string {
	l.must("server-1", `set -eu
k3s kubectl -n kube-system create serviceaccount robot
k3s kubectl create clusterrolebinding robot --clusterrole=cluster-admin --serviceaccount=kube-system:robot`)
	return strings.TrimSpace(l.must("server-1",
		"k3s kubectl -n kube-system create token robot --duration=1h"))
}

// writeContexts writes a kubeconfig with the owner's cluster, in a context with a certificate and
// one with a token. The current context is another cluster, which the stack must not touch.
func writeContexts(t *testing.T, path, owners, token string) {
	t.Helper()
	config, err := clientcmd.Load([]byte(owners))
	require.NoError(t, err)
	current := *config.Contexts[config.CurrentContext]
	byToken := current
	byToken.AuthInfo = "robot"
	config.AuthInfos["robot"] = &clientcmdapi.AuthInfo{Token: token}
	config.Clusters["production"] = &clientcmdapi.Cluster{Server: "https://192.0.2.1:6443"}
	config.Contexts = map[string]*clientcmdapi.Context{
		"certificate": &current, "token": &byToken,
		"production": {Cluster: "production", AuthInfo: "robot"},
	}
	config.CurrentContext = "production"
	text, err := clientcmd.Write(*config)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o600))
}

// inCluster returns the names of all objects in the cluster, of the kinds that a stack adds.
func (l *hostSet) inCluster() string {
	const kinds = "namespaces,customresourcedefinitions,clusterroles,clusterrolebindings,validatingwebhookconfigurations," +
		"mutatingwebhookconfigurations,ingressclasses,apiservices,services,deployments,daemonsets,poddisruptionbudgets,networkpolicies,roles," +
		"rolebindings,serviceaccounts,secrets,configmaps"
	return l.must("server-1", "k3s kubectl get "+kinds+" --all-namespaces -o name | sort")
}

// unserve deletes the objects that serve created.
func unserve(t *testing.T, s *stack, name string) {
	t.Helper()
	client := s.client()
	require.NoError(t, client.CoreV1().Services("default").Delete(t.Context(), name,
		metav1.DeleteOptions{}))
	require.NoError(t, client.AppsV1().Deployments("default").Delete(t.Context(), name,
		metav1.DeleteOptions{}))
}
