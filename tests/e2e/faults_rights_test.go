package e2e

// rightsFaults are the faults of controllers that are Ready but lack the rights for their work.
var rightsFaults = []fault{
	{
		name: "the ClusterRole of MetalLB's controller is deleted", layer: "metallb",
		gate: "metallb-rollout", object: "rights of release metallb-system/metallb",
		cause:  "ClusterRole metallb:controller of the release does not exist",
		fix:    "pulumi up puts it back",
		inject: takenAway("clusterrole metallb:controller"),
		heal:   rolesBack("metallb-system", "metallb"),
	},
	{
		name: "a ClusterRole of cert-manager's controller is deleted", layer: "cert-manager",
		gate: "cert-manager-api", object: "rights of release cert-manager/cert-manager",
		cause:  "ClusterRole cert-manager-controller-certificates of the release does not exist",
		fix:    "pulumi up puts it back",
		inject: takenAway("clusterrole cert-manager-controller-certificates"),
		heal:   rolesBack("cert-manager", "cert-manager"),
	},
	{
		name: "the binding of Traefik's ClusterRole names another account", layer: "traefik",
		gate: "traefik-rollout", object: "rights of release traefik/traefik",
		cause: "does not name the ServiceAccount", fix: "pulumi up puts it back",
		inject: "k3s kubectl patch clusterrolebinding traefik-traefik --type=json -p='" +
			`[{"op":"replace","path":"/subjects/0/name","value":"another"}]` + "'",
		heal: rolesBack("traefik", "traefik"),
	},
	{
		name: "the ClusterRole of Argo CD's controller is deleted", layer: "argocd",
		gate: "argocd-rollout", object: "rights of release argocd/argocd",
		cause:  "ClusterRole argocd-application-controller of the release does not exist",
		fix:    "pulumi up puts it back",
		inject: takenAway("clusterrole argocd-application-controller"),
		heal:   rolesBack("argocd", "argocd"),
	},
	{
		name: "the ServiceAccount of MetalLB's controller is deleted", layer: "metallb",
		gate: "metallb-rollout", object: "rights of release metallb-system/metallb",
		cause:  "ServiceAccount metallb-system/metallb-controller does not exist",
		fix:    "pulumi up puts it back",
		inject: takenAway("-n metallb-system serviceaccount metallb-controller"),
		heal: givenBack + "; k3s kubectl -n metallb-system delete pod " +
			"-l app.kubernetes.io/component=controller",
	},
	{
		name:  "the ServiceAccount of cert-manager's controller is another one of the same name",
		layer: "cert-manager", gate: "cert-manager-api",
		object: "rights of release cert-manager/cert-manager",
		cause:  "deleted and created again after its Pods had started",
		fix:    "-n cert-manager delete pod cert-manager-",
		inject: takenAway("-n cert-manager serviceaccount cert-manager") + "; " + givenBack,
		heal: "k3s kubectl -n cert-manager delete pod " +
			"-l app.kubernetes.io/component=controller",
		visible: "k3s kubectl -n cert-manager logs deployment/cert-manager --since=30s | " +
			"grep -q Unauthorized",
	},
	{
		name: "redis has another password than Argo CD", layer: "argocd", gate: "argocd-rollout",
		object: "redis of argocd",
		cause:  "was changed after the Pods of redis or of its clients had started",
		fix:    "rollout restart",
		inject: "k3s kubectl -n argocd get secret argocd-redis -o jsonpath='{.data.auth}' > " +
			"/root/auth; " + redisPassword("b3RoZXI="),
		heal:    redisPassword("$(cat /root/auth)"),
		visible: `k3s kubectl -n argocd logs argocd-application-controller-0 --since=30s | grep -q WRONGPASS`,
	},
}

// rolesBack returns the command that applies the release's roles and bindings again, and no other
// object, so that the row measures how soon the gate opens.
func rolesBack(namespace, release string) string {
	return "k3s kubectl -n " + namespace + " get secret sh.helm.release.v1." + release +
		`.v1 -o go-template='{{.data.release|base64decode|base64decode}}' | gunzip` +
		` | jq -r '.manifest|split("\n---\n")[]|select(test("\nkind: (Cluster)?Role"))|"---\n"+.' | k3s kubectl auth reconcile -f -`
}

// redisPassword returns a script that sets redis's password, given in base64, and replaces its Pod.
func redisPassword(data string) string {
	return `k3s kubectl -n argocd patch secret argocd-redis -p "{\"data\":{\"auth\":\"` + data + `\"}}"
k3s kubectl -n argocd rollout restart deployment argocd-redis
k3s kubectl -n argocd rollout status deployment argocd-redis --timeout=120s`
}
