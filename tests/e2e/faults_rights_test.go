package e2e

// rightsFaults are of controllers that run, Ready, and may not do their work.
var rightsFaults = []fault{
	{
		name: "the ClusterRole of MetalLB's controller is deleted", layer: "metallb", gate: "metallb-rollout", object: "rights of release metallb-system/metallb",
		cause: "ClusterRole metallb:controller of the release does not exist", fix: "auth reconcile",
		inject: takenAway("clusterrole metallb:controller"), heal: givenBack,
	},
	{
		name: "a ClusterRole of cert-manager's controller is deleted", layer: "cert-manager", gate: "cert-manager-api", object: "rights of release cert-manager/cert-manager",
		cause: "ClusterRole cert-manager-controller-certificates of the release does not exist", fix: "auth reconcile",
		inject: takenAway("clusterrole cert-manager-controller-certificates"), heal: givenBack,
	},
	{
		name: "the binding of Traefik's ClusterRole names nobody", layer: "traefik", gate: "traefik-rollout", object: "rights of release traefik/traefik",
		cause: "does not name the ServiceAccount", fix: "auth reconcile",
		inject: "k3s kubectl patch clusterrolebinding traefik-traefik --type=json -p='" + `[{"op":"replace","path":"/subjects/0/name","value":"nobody"}]` + "'",
		heal:   "k3s kubectl patch clusterrolebinding traefik-traefik --type=json -p='" + `[{"op":"replace","path":"/subjects/0/name","value":"traefik"}]` + "'",
	},
	{
		name: "the ClusterRole of Argo CD's controller is deleted", layer: "argocd", gate: "argocd-rollout", object: "rights of release argocd/argocd",
		cause: "ClusterRole argocd-application-controller of the release does not exist", fix: "auth reconcile",
		inject: takenAway("clusterrole argocd-application-controller"), heal: givenBack,
	},
	{
		name: "redis has another password than Argo CD", layer: "argocd", gate: "argocd-rollout", object: "redis of argocd",
		cause: "was changed after the Pods of redis or of its clients had started", fix: "rollout restart",
		inject:  "k3s kubectl -n argocd get secret argocd-redis -o jsonpath='{.data.auth}' > /root/auth; " + redisPassword("b3RoZXI="),
		heal:    redisPassword("$(cat /root/auth)"),
		visible: `k3s kubectl -n argocd logs argocd-application-controller-0 --since=30s | grep -q WRONGPASS`,
	},
}

// redisPassword gives redis a password, in base64, and makes its Pod anew, as whoever rotates it.
func redisPassword(data string) string {
	return `k3s kubectl -n argocd patch secret argocd-redis -p "{\"data\":{\"auth\":\"` + data + `\"}}"
k3s kubectl -n argocd rollout restart deployment argocd-redis
k3s kubectl -n argocd rollout status deployment argocd-redis --timeout=120s`
}
