package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

// TestAPISIX installs APISIX in a new cluster, changes it, causes a partial
// failure, and destroys it.
func TestAPISIX(t *testing.T) {
	t.Parallel()
	net := network{"std0", "10.24.0"}
	all := []node{{"server-1", "server", 11}}
	hosts := existingHosts(t, "e2ea", net, all...)
	shop := apisixShop()
	s := newStack(t, "e2e-apisix", withShop(shop, hosts, all...))
	s.step("the first update succeeds, and reports each probe", func(t *testing.T) {
		r := s.must(s.up())
		t.Logf("full: %s", r.took.Round(time.Second))
		for _, probe := range []string{"httpbin", "REST without a key", "REST with the key", "login"} {
			assert.Regexp(t, "http "+probe+`[^\n]* in [^\n]*attempt`, r.output,
				"each probe says how long it took, and how often it asked")
		}
	})
	s.step("a rerun changes nothing", func(*testing.T) { s.must(s.up("--expect-no-changes")) })
	s.step("health passes", func(*testing.T) { s.healthy() })
	s.step("the state has no key and no password in plain text", func(t *testing.T) {
		export := s.must(s.run("pulumi", "stack", "export", "--stack", s.name)).output
		for _, name := range []string{"demoKey", "demoPassword"} {
			assert.NotContains(t, export, s.output(name))
		}
	})
	s.ahead(hosts, "a canary rolls back only a failing version", func(t *testing.T) {
		s.canaryByAPISIX(t, shop, hosts, all...)
	})
	s.step("only the upstreams' gate names the address of a deleted Pod",
		func(t *testing.T) {
			needsTheLabs(t, labsAPISIXController,
				"an annotation makes this one keep a stale address")
			s.keepsAStalePod(t, hosts)
		})
	export := s.exported()
	s.step("APISIX and its demo are removed while the controller runs", func(t *testing.T) {
		s.configure(withoutAPISIX(hosts, all...))
		s.must(s.up())
		s.noClass(t)
	})
	s.step("a GatewayProxy is refused before the webhook's gate opens, and accepted after it",
		func(t *testing.T) {
			s.losesTheProxyRace(t, export, 2, true) // `make bench-serial` repeats it 20 times
		})
	s.step("an update with skip succeeds, and one with full after it", func(t *testing.T) {
		s.configure(withAPISIX(hosts, "skip", all...))
		r := s.must(s.up())
		t.Logf("skip: %s", r.took.Round(time.Second))
		s.configure(withAPISIX(hosts, "full", all...))
		s.must(s.up())
	})
	s.step("APISIX and its demo are removed without a running controller", func(t *testing.T) {
		_, err := hosts.on("server-1", "kubectl -n apisix delete deployment apisix-ingress-controller --wait")
		require.NoError(t, err)
		s.configure(withoutAPISIX(hosts, all...))
		s.must(s.up())
		s.noClass(t)
	})
	s.step("a refused manifest does not prevent the others", func(t *testing.T) {
		s.partialFailure(t, withoutAPISIX(hosts, all...))
	})
	s.step("destroy", func(t *testing.T) {
		s.must(s.destroy())
		assert.Empty(t, s.resources())
	})
}

// withAPISIX returns a platform with APISIX and its demo, and no other ingress.
func withAPISIX(hosts *hostSet, validate string, nodes ...node) map[string]any {
	sections := platform(hosts, nodes...)
	sections["ingress"] = map[string]any{"domain": "apisix.test", "controllers": []any{"apisix"}}
	sections["apisix"] = map[string]any{"address": hosts.net.address(205), "replicas": 1}
	sections["apps"] = map[string]any{"demo": true, "validate": validate}
	delete(sections, "traefik")
	return sections
}

// withoutAPISIX returns the platform of withAPISIX, without APISIX and its demo.
func withoutAPISIX(hosts *hostSet, nodes ...node) map[string]any {
	sections := withAPISIX(hosts, "full", nodes...)
	sections["ingress"] = map[string]any{"domain": "apisix.test", "controllers": []any{}}
	delete(sections, "apisix")
	delete(sections, "apps")
	return sections
}

// partialFailure adds files to a working stack. A file that cannot be parsed must prevent all
// changes. An object that the API server refuses must not prevent the others.
func (s *stack) partialFailure(t *testing.T, sections map[string]any) {
	write := func(name, text string) string {
		path := filepath.Join(s.dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: default}\ndata: {%q: x}\n"
	there := func(name string) bool {
		_, err := s.client().CoreV1().ConfigMaps("default").Get(t.Context(), name,
			metav1.GetOptions{})
		return err == nil
	}
	with := func(files ...any) {
		apps := map[string]any{"manifests": files}
		if others, ok := sections["apps"].(map[string]any); ok {
			apps = merged(others, apps)
		}
		s.configure(merged(sections, map[string]any{"apps": apps}))
	}
	good := write("good.yaml", fmt.Sprintf(object, "good", "key"))
	refused := write("refused.yaml", fmt.Sprintf(object, "refused", "no key!"))
	with(good, write("bad.yaml", "invalid: yaml: :\n"))
	s.refused(t, s.up(), "bad.yaml", "nothing was changed")
	assert.False(t, there("good"), "an unreadable file comes before any change")
	with(good, refused)
	s.refused(t, s.up("--continue-on-error"), "refused.yaml", "ConfigMap:default:refused")
	assert.True(t, there("good"), "the others are applied")
	write("refused.yaml", fmt.Sprintf(object, "refused", "a-key"))
	s.must(s.up())
	assert.True(t, there("refused"))
	s.must(s.up("--expect-no-changes"))
}

// merged returns the entries of sections and others; others has priority.
func merged(sections, others map[string]any) map[string]any {
	all := map[string]any{}
	maps.Copy(all, sections)
	maps.Copy(all, others)
	return all
}

// noClass asserts that APISIX's GatewayClass and the namespaces of APISIX and its demo are gone.
func (s *stack) noClass(t *testing.T) {
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(s.output("kubeconfig")))
	require.NoError(t, err)
	client, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	classes := schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1",
		Resource: "gatewayclasses"}
	_, err = client.Resource(classes).Get(t.Context(), "apisix", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
	for _, name := range []string{"apisix", "demo"} {
		_, err = s.client().CoreV1().Namespaces().Get(t.Context(), name, metav1.GetOptions{})
		assert.True(t, apierrors.IsNotFound(err), "namespace %s: %v", name, err)
	}
}
