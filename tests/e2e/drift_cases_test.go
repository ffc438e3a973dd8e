package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// drifts are manual changes of the platform of TestPlatform. thing is the
// changed object or file as `strata drift` prints it.
var drifts = []struct{ class, host, change, thing string }{
	{"a chart's workloads", "server-1", kubectl("-n traefik scale deployment traefik --replicas 0"),
		"Deployment/traefik/traefik"},
	{"a chart's workloads", "server-1",
		kubectl("-n argocd set image deployment/argocd-redis redis=docker.io/acme/none:1"),
		"Deployment/argocd/argocd-redis"},
	{"a chart's workloads", "server-1",
		kubectl("-n cert-manager scale deployment cert-manager-cainjector --replicas 0"),
		"Deployment/cert-manager/cert-manager-cainjector"},
	{"a chart's workloads", "server-1", kubectl("-n argocd patch statefulset " +
		`argocd-application-controller -p '{"spec":{"replicas":0}}'`),
		"StatefulSet/argocd/argocd-application-controller"},
	{"a chart's workloads", "server-1",
		kubectl("-n argocd delete deployment argocd-repo-server --wait=false"),
		"Deployment/argocd/argocd-repo-server"},

	{"a chart's configuration", "server-1", kubectl("-n argocd delete secret argocd-secret"),
		"Secret/argocd/argocd-secret"},
	{"a chart's configuration", "server-1", kubectl("-n argocd delete configmap argocd-cm"),
		"ConfigMap/argocd/argocd-cm"},
	{"a chart's configuration", "server-1", kubectl("-n argocd patch configmap " +
		`argocd-cmd-params-cm --type=merge -p '{"data":{"server.insecure":"other"}}'`),
		"ConfigMap/argocd/argocd-cmd-params-cm"},
	{"a chart's configuration", "server-1", kubectl("-n argocd delete service argocd-redis"),
		"Service/argocd/argocd-redis"},
	{"a chart's configuration", "server-1",
		kubectl("-n traefik label service traefik app.kubernetes.io/name=other --overwrite"),
		"Service/traefik/traefik"},

	{"rights", "server-1", kubectl("delete clusterrole argocd-application-controller"),
		"ClusterRole/argocd-application-controller"},
	{"rights", "server-1", kubectl("delete clusterrole metallb:controller"),
		"ClusterRole/metallb:controller"},
	{"rights", "server-1", kubectl("patch clusterrolebinding traefik-traefik --type=json " +
		`-p '[{"op":"replace","path":"/subjects/0/name","value":"another"}]'`),
		"ClusterRoleBinding/traefik-traefik"},
	{"rights", "server-1", kubectl("-n cert-manager delete serviceaccount cert-manager"),
		"ServiceAccount/cert-manager/cert-manager"},
	{"rights", "server-1", kubectl("patch clusterrole cert-manager-controller-issuers --type=json " +
		`-p '[{"op":"remove","path":"/rules/0"}]'`),
		"ClusterRole/cert-manager-controller-issuers"},

	{"webhooks and definitions", "server-1",
		kubectl("delete validatingwebhookconfiguration cert-manager-webhook"),
		"ValidatingWebhookConfiguration/cert-manager-webhook"},
	{"webhooks and definitions", "server-1",
		kubectl("delete crd applicationsets.argoproj.io --wait=false"),
		"CustomResourceDefinition/applicationsets.argoproj.io"},
	{"webhooks and definitions", "server-1", kubectl("delete crd ingressroutetcps.traefik.io --wait=false"),
		"CustomResourceDefinition/ingressroutetcps.traefik.io"},
	{"webhooks and definitions", "server-1", kubectl("label crd gateways.gateway.networking.k8s.io " +
		"strata.dev/crd-bundle=other --overwrite"),
		"CustomResourceDefinition/gateways.gateway.networking.k8s.io"},
	{"webhooks and definitions", "server-1",
		kubectl("delete crd bfdprofiles.metallb.io --wait=false"),
		"CustomResourceDefinition/bfdprofiles.metallb.io"},

	{"the stack's objects", "server-1", kubectl("-n metallb-system patch ipaddresspool default " +
		`--type=merge -p '{"spec":{"autoAssign":false}}'`),
		"IPAddressPool/metallb-system/default"},
	{"the stack's objects", "server-1",
		kubectl("-n metallb-system delete l2advertisement default"),
		"L2Advertisement/metallb-system/default"},
	{"the stack's objects", "server-1", kubectl("-n traefik delete ingressroute dashboard"),
		"IngressRoute/traefik/dashboard"},
	{"the stack's objects", "server-1", kubectl("-n argocd delete networkpolicy strata"),
		"NetworkPolicy/argocd/strata"},
	{"the stack's objects", "server-1", kubectl("-n traefik patch gateway traefik --type=json " +
		`-p '[{"op":"replace","path":"/spec/listeners/0/port","value":8444}]'`),
		"Gateway/traefik/traefik"},

	{"fields that the stack does not set", "server-1", kubectl("-n argocd patch service " +
		`argocd-server -p '{"spec":{"selector":{"by":"hand"}}}'`), "Service/argocd/argocd-server"},
	{"fields that the stack does not set", "server-1", kubectl("-n metallb-system patch daemonset " +
		`metallb-speaker -p '{"spec":{"template":{"spec":{"nodeSelector":{"by":"hand"}}}}}'`),
		"DaemonSet/metallb-system/metallb-speaker"},
	{"fields that the stack does not set", "server-1", kubectl("patch clusterissuer strata " +
		`--type=merge -p '{"spec":{"ca":{"ocspServers":["http://192.0.2.1"]}}}'`),
		"ClusterIssuer/strata"},

	{"a user's manifests", "server-1", kubectl("delete configmap team"), "ConfigMap/default/team"},
	{"a user's manifests", "server-1", kubectl("patch secret team --type=merge " +
		`-p '{"data":{"token":"b3RoZXI="}}'`), "Secret/default/team"},

	{"files", "server-1", "echo '# by hand' >> /etc/rancher/k3s/config.yaml",
		"/etc/rancher/k3s/config.yaml on server-1"},
	{"files", "agent-1", "echo 'node-label: [by=hand]' >> /etc/rancher/k3s/config.yaml",
		"/etc/rancher/k3s/config.yaml on agent-1"},
	{"files", "server-1", "chmod 644 /etc/rancher/k3s/config.yaml.d/90-strata-join.yaml",
		"/etc/rancher/k3s/config.yaml.d/90-strata-join.yaml on server-1"},
	{"files", "agent-1", "rm /etc/rancher/k3s/config.yaml.d/90-strata-join.yaml",
		"/etc/rancher/k3s/config.yaml.d/90-strata-join.yaml on agent-1"},
	{"files", "server-1", "rm /var/lib/strata/owner", "/var/lib/strata/owner on server-1"},

	{"units", "server-1", "echo '# by hand' >> /etc/systemd/system/k3s.service",
		"/etc/systemd/system/k3s.service on server-1"},
	{"units", "server-1", "systemctl disable k3s", "unit k3s on server-1"},
	{"units", "agent-1", "echo BY=hand >> /etc/systemd/system/k3s-agent.service.env",
		"/etc/systemd/system/k3s-agent.service.env on agent-1"},
	{"units", "agent-1", "systemctl disable --now k3s-agent", "unit k3s-agent on agent-1"},
	{"units", "server-1", "sysctl -w net.ipv4.ip_forward=0",
		"sysctl net.ipv4.ip_forward on server-1"},

	{"programs", "agent-1", "cp /bin/true /usr/local/bin/k3s", "/usr/local/bin/k3s on agent-1"},
	{"programs", "server-1", "rm /usr/local/bin/k3s-killall.sh",
		"/usr/local/bin/k3s-killall.sh on server-1"},
	{"programs", "agent-1", "echo '# by hand' >> /usr/local/bin/k3s-agent-uninstall.sh",
		"/usr/local/bin/k3s-agent-uninstall.sh on agent-1"},
	{"programs", "server-1", "rm /var/lib/strata/k3s-install.sh",
		"/var/lib/strata/k3s-install.sh on server-1"},
	{"programs", "agent-1", "echo '# by hand' >> /var/lib/strata/k3s-install.sh",
		"/var/lib/strata/k3s-install.sh on agent-1"},
}

// withManifest adds a file with a ConfigMap and a Secret of the user.
func withManifest(t *testing.T, sections map[string]any) map[string]any {
	t.Helper()
	file := filepath.Join(t.TempDir(), "team.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`apiVersion: v1
kind: ConfigMap
metadata: {name: team, annotations: {team.example.org/owner: a}}
data: {size: "3"}
---
apiVersion: v1
kind: Secret
metadata: {name: team}
stringData: {token: hunter2}
`), 0o600))
	apps, _ := sections["apps"].(map[string]any)
	return with(sections, "apps", with(apps, "manifests", []any{file}))
}

func kubectl(arguments string) string { return "k3s kubectl " + arguments }
