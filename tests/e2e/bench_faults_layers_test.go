//go:build bench

package e2e

// takenAway deletes an object and keeps it in a file on the host, and givenBack makes it again, as whoever deleted it has to.
func takenAway(object string) string {
	return "k3s kubectl get " + object + " -o yaml | grep -vE '^ {2,4}(resourceVersion|uid|creationTimestamp|generation):' > /root/taken.yaml; k3s kubectl delete " + object + " --wait=false"
}

const givenBack = "k3s kubectl create -f /root/taken.yaml"

// layerFaults are those of MetalLB and cert-manager.
var layerFaults = []fault{
	{
		name: "MetalLB's controller is scaled to 0", layer: "metallb", gate: "metallb-webhook", object: "webhook endpoints", cause: "metallb-controller is scaled to 0",
		fix: "scale deployment metallb-controller --replicas=1", inject: scaled("metallb-system", "metallb-controller", "0"), heal: scaled("metallb-system", "metallb-controller", "1"),
		visible: noPods("metallb-system", "metallb-controller"),
	},
	{
		name: "one API server does not reach a webhook", layer: "metallb", gate: "metallb-webhook", object: "webhook through 10.33.0.12", cause: "network fault between API server",
		fix: "on the server: curl", on: "server-2", inject: drop(webhookIn, webhookTo), heal: keep(webhookIn, webhookTo), patience: 20e9,
	},
	{
		name: "a webhook's configuration is deleted", layer: "metallb", gate: "metallb-webhook", object: "webhook configuration", cause: "does not exist",
		fix: "kubectl get validatingwebhookconfiguration", inject: takenAway("validatingwebhookconfiguration metallb-webhook-configuration"), heal: givenBack,
	},
	{
		name: "no node suits MetalLB's speaker", layer: "metallb", gate: "metallb-rollout", object: "DaemonSet/metallb-speaker", cause: "no node suits DaemonSet",
		fix:     "kubectl get nodes --show-labels",
		inject:  patched("metallb-system", "daemonset metallb-speaker", `[{"op":"add","path":"/spec/template/spec/nodeSelector/nowhere","value":"yes"}]`),
		heal:    patched("metallb-system", "daemonset metallb-speaker", `[{"op":"remove","path":"/spec/template/spec/nodeSelector/nowhere"}]`),
		visible: `[ "$(k3s kubectl -n metallb-system get daemonset metallb-speaker -o jsonpath='{.status.desiredNumberScheduled}')" = 0 ]`,
	},
	{
		name: "cert-manager's webhook is scaled to 0", layer: "cert-manager", gate: "cert-manager-api", object: "webhook endpoints", cause: "cert-manager-webhook is scaled to 0",
		fix: "scale deployment cert-manager-webhook --replicas=1", inject: scaled("cert-manager", "cert-manager-webhook", "0"), heal: scaled("cert-manager", "cert-manager-webhook", "1"),
		visible: noPods("cert-manager", "cert-manager-webhook"),
	},
}

func scaled(namespace, deployment, replicas string) string {
	return "k3s kubectl -n " + namespace + " scale deployment " + deployment + " --replicas=" + replicas
}

// noPods succeeds once a Deployment has no Pods.
func noPods(namespace, deployment string) string {
	return `[ -z "$(k3s kubectl -n ` + namespace + ` get deployment ` + deployment + ` -o jsonpath='{.status.replicas}')" ]`
}
