package charts_test

import "strata/tests/drift"

// These reasons apply to several differences.
const (
	ofOtherVersions = "the lab has another version than this original"
	noLeader        = "the stand-in elects no leader, and its metrics ask for no token"
)

// known lists the reviewed differences between the lab's artifact and the upstream one, by
// upstream's name and version. A new version of upstream has no reviewed differences.
var known = map[string][]drift.Known{
	"cert-manager v1.21.1": {
		{Fact: "- Role cert-manager-tokenrequest", Why: ofOtherVersions},
		{Fact: "- RoleBinding cert-manager-tokenrequest", Why: ofOtherVersions},
		{Fact: "- Service cert-manager: port tcp-prometheus-servicemonitor 9402 to http-metrics",
			Why: ofOtherVersions},
		{Fact: "+ Service cert-manager: port http-metrics 9402 to 0", Why: ofOtherVersions},
	},
	"argo-cd 10.1.1": {
		{Fact: "+ ConfigMap argocd-redis-health-configmap",
			Why: "the lab's image of Redis has no shell for the probe that it holds"},
		{
			Fact: "- Deployment argocd-redis: selects " +
				"app.kubernetes.io/instance=argocd,app.kubernetes.io/name=argocd-redis",
			Why: "a selector of a stack that is up cannot change"},
		{Fact: "+ Deployment argocd-redis: selects app.kubernetes.io/name=argocd-redis",
			Why: "a selector of a stack that is up cannot change"},
		{Fact: "+ Deployment argocd-repo-server: init container copyutil",
			Why: "it is for plugins, which the lab has none of"},
		{Fact: "+ Deployment argocd-server: mounts Secret argocd-dex-server-tls",
			Why: "it is optional, and Dex is off"},
		{Fact: "+ Role argocd-repo-server", Why: "it has no rules"},
		{Fact: "+ RoleBinding argocd-repo-server", Why: "it is of a Role without rules"},
	},
	"apisix 2.14.0": {
		{Fact: "+ Secret etcd-apisix", Why: "its password is for an etcd that is off"},
	},
	"apisix-ingress-controller 1.1.3": {
		{Fact: "+ ClusterRole apisix-ingress-controller-apisix-ingress-metrics-*", Why: noLeader},
		{Fact: "+ ClusterRoleBinding apisix-ingress-controller-apisix-ingress-metrics-*",
			Why: noLeader},
		{Fact: "+ Role apisix-ingress-controller-apisix-ingress-leader-election-role",
			Why: noLeader},
		{Fact: "+ RoleBinding apisix-ingress-controller-apisix-ingress-leader-election-rolebinding",
			Why: noLeader},
		{Fact: "- ValidatingWebhookConfiguration apisix-ingress-controller-webhook: webhook v*",
			Why: ofOtherVersions},
		{Fact: "+ ValidatingWebhookConfiguration apisix-ingress-controller-webhook: webhook v*",
			Why: ofOtherVersions},
	},
}
