package e2e

// takenAway returns a script that saves an object to a file on the host, and deletes the object.
// givenBack creates the object from that file.
func takenAway(object string) string {
	return "k3s kubectl get " + object +
		" -o yaml | grep -vE '^ {2,4}(resourceVersion|uid|creationTimestamp|generation):' > " +
		"/root/taken.yaml; k3s kubectl delete " + object + " --wait=false"
}

const givenBack = "k3s kubectl create -f /root/taken.yaml"

// speakersAnew restarts MetalLB's speakers. A speaker that announces an address goes on when its
// L2Advertisement names interfaces that do not exist (metallb speaker/layer2_controller.go).
const speakersAnew = "k3s kubectl -n metallb-system delete pods " +
	"-l app.kubernetes.io/component=speaker"

// excluded is the label of nodes that MetalLB announces no address from.
const excluded = "node.kubernetes.io/exclude-from-external-load-balancers"

// layerFaults are the faults of MetalLB, cert-manager and Traefik.
var layerFaults = []fault{
	{
		name: "MetalLB's controller is scaled to 0", layer: "metallb", gate: "metallb-webhook",
		object: "Deployment/metallb-controller", cause: "metallb-controller is scaled to 0",
		fix:     "scale deployment metallb-controller --replicas=1",
		inject:  scaled("metallb-system", "metallb-controller", "0"),
		heal:    scaled("metallb-system", "metallb-controller", "1"),
		visible: noPods("metallb-system", "metallb-controller"),
	},
	{
		name: "one API server does not reach a webhook", layer: "metallb", gate: "metallb-webhook",
		object: "webhook through 10.33.0.12", cause: "network fault between API server",
		fix: "on the server: curl", on: "server-2", inject: drop(webhookIn, webhookTo),
		heal: keep(webhookIn, webhookTo), patience: 20e9,
	},
	{
		name: "a webhook's configuration is deleted", layer: "metallb", gate: "metallb-webhook",
		object: "webhook configuration", cause: "does not exist",
		fix:    "pulumi up puts it back",
		inject: takenAway("validatingwebhookconfiguration metallb-webhook-configuration"),
		heal:   givenBack,
	},
	{
		name: "no node suits MetalLB's speaker", layer: "metallb", gate: "metallb-rollout",
		object: "DaemonSet/metallb-speaker", cause: "no node suits DaemonSet",
		fix: "kubectl get nodes --show-labels",
		inject: patched("metallb-system", "daemonset metallb-speaker",
			`[{"op":"add","path":"/spec/template/spec/nodeSelector/nowhere","value":"yes"}]`),
		heal: patched("metallb-system", "daemonset metallb-speaker",
			`[{"op":"remove","path":"/spec/template/spec/nodeSelector/nowhere"}]`),
		visible: `[ "$(k3s kubectl -n metallb-system get daemonset metallb-speaker -o jsonpath='{.status.desiredNumberScheduled}')" = 0 ]`,
	},
	{
		name: "the address pool is deleted", layer: "metallb", gate: "metallb-pool-gate",
		object: "pool", cause: "does not exist", fix: "pulumi up puts",
		inject: takenAway("-n metallb-system $(k3s kubectl -n metallb-system get " +
			"ipaddresspools -o name)"), heal: givenBack,
	},
	{
		name: "the pool gives no address by itself", layer: "metallb", gate: "metallb-pool-gate",
		object: "pool", cause: "autoAssign: false", fix: "pulumi up puts",
		inject: patched("metallb-system", "ipaddresspool default",
			`[{"op":"replace","path":"/spec/autoAssign","value":false}]`),
		heal: patched("metallb-system", "ipaddresspool default",
			`[{"op":"replace","path":"/spec/autoAssign","value":true}]`),
	},
	{
		name: "nothing announces the pool", layer: "metallb", gate: "metallb-pool-gate",
		object: "pool", cause: "no L2Advertisement", fix: "pulumi up puts",
		inject: takenAway("-n metallb-system l2advertisement default"), heal: givenBack,
	},
	{
		name: "the speakers announce at an interface that no node has", layer: "traefik",
		gate: "traefik-address", object: "address from here",
		cause: "names other interfaces", fix: "get l2advertisements",
		inject: patched("metallb-system", "l2advertisement default",
			`[{"op":"add","path":"/spec/interfaces","value":["none0"]}]`) + "; " + speakersAnew,
		heal: patched("metallb-system", "l2advertisement default",
			`[{"op":"remove","path":"/spec/interfaces"}]`),
	},
	{
		name: "every node is excluded from load balancers", layer: "traefik",
		gate: "traefik-address", object: "address from here",
		cause: "each node has the label", fix: "exclude-from-external-load-balancers",
		inject: "k3s kubectl label nodes --all " + excluded + "=true",
		heal:   "k3s kubectl label nodes --all " + excluded + "-",
	},
	{
		name: "the Secret of MetalLB's speakers is deleted", layer: "metallb",
		gate: "metallb-rollout", object: "DaemonSet/metallb-speaker",
		cause: "only when it starts", fix: "rollout restart deployment/metallb-controller",
		inject: "k3s kubectl -n metallb-system delete secret metallb-memberlist; " + speakersAnew,
		heal:   "k3s kubectl -n metallb-system rollout restart deployment/metallb-controller",
	},
	{
		name: "cert-manager's controller is scaled to 0", layer: "cert-manager",
		gate: "cert-manager-api", object: "Deployment/cert-manager",
		cause:   "cert-manager/cert-manager is scaled to 0",
		fix:     "scale deployment cert-manager --replicas=1",
		inject:  scaled("cert-manager", "cert-manager", "0"),
		heal:    scaled("cert-manager", "cert-manager", "1"),
		visible: noPods("cert-manager", "cert-manager"),
	},
	{
		name: "cert-manager's CA injector is scaled to 0", layer: "cert-manager",
		gate: "cert-manager-api", object: "Deployment/cert-manager-cainjector",
		cause:  "cert-manager-cainjector is scaled to 0",
		fix:    "scale deployment cert-manager-cainjector --replicas=1",
		inject: scaled("cert-manager", "cert-manager-cainjector", "0"),
		heal:   scaled("cert-manager", "cert-manager-cainjector", "1"),
	},
	{
		name: "cert-manager's webhook is scaled to 0", layer: "cert-manager",
		gate: "cert-manager-api", object: "Deployment/cert-manager-webhook",
		cause:   "cert-manager-webhook is scaled to 0",
		fix:     "scale deployment cert-manager-webhook --replicas=1",
		inject:  scaled("cert-manager", "cert-manager-webhook", "0"),
		heal:    scaled("cert-manager", "cert-manager-webhook", "1"),
		visible: noPods("cert-manager", "cert-manager-webhook"),
	},
	{
		name: "the CA was made anew", layer: "cert-manager", gate: "ca-gate",
		object: "CA of clusterissuer strata", cause: "was deleted or changed", fix: "acceptedCA",
		inject:  copiesCA + "; k3s kubectl -n cert-manager delete secret strata-ca",
		heal:    putsCABack,
		visible: "k3s kubectl -n cert-manager get secret strata-ca",
	},
	{
		name: "a certificate asks for an issuer that does not exist", layer: "traefik",
		gate: "traefik-tls-gate", object: "certificate",
		cause: "the issuer that it names does not exist",
		inject: patched("traefik", "certificate traefik-tls",
			`[{"op":"replace","path":"/spec/issuerRef/name","value":"no-such-issuer"}]`),
		heal: patched("traefik", "certificate traefik-tls",
			`[{"op":"replace","path":"/spec/issuerRef/name","value":"strata"}]`),
		visible: `[ "$(k3s kubectl -n traefik get certificate traefik-tls -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}')" = False ]`,
	},
	{
		name: "the issuer is deleted", layer: "cert-manager", gate: "ca-gate", object: "issuer",
		cause: "does not exist", fix: "pulumi up puts",
		inject: takenAway("clusterissuer strata"), heal: givenBack,
	},
	{
		name: "Traefik is scaled to 0", layer: "traefik", gate: "traefik-rollout",
		object: "Deployment/traefik", cause: "is scaled to 0",
		fix: "scale deployment traefik --replicas=1",
		inject: "k3s kubectl -n traefik get deployment traefik -o jsonpath='{.spec.replicas}' > " +
			"/root/replicas; " + scaled("traefik", "traefik", "0"),
		heal:    scaled("traefik", "traefik", "$(cat /root/replicas)"),
		visible: noPods("traefik", "traefik"),
	},
	{
		name: "a Service selects no Pod", layer: "traefik", gate: "traefik-address",
		object: "endpoints traefik/traefik",
		cause:  "no Pod has the labels of the Service's selector",
		fix:    "get pods,endpointslices",
		inject: patched("traefik", "service traefik",
			`[{"op":"add","path":"/spec/selector/nowhere","value":"yes"}]`),
		heal: patched("traefik", "service traefik",
			`[{"op":"remove","path":"/spec/selector/nowhere"}]`),
		visible: `[ -z "$(k3s kubectl -n traefik get endpointslices -l kubernetes.io/service-name=traefik -o jsonpath='{.items[*].endpoints[*].addresses}')" ]`,
	},
	{
		name: "another machine has the address", layer: "traefik", gate: "traefik-address",
		object: "address from here", cause: "another machine has the address", fix: "ip neigh show",
		outside: [2]string{
			`ip netns add strata-fault; ip link add strata-fault type veth peer name eth0 netns strata-fault; ip link set strata-fault master stt0 up
ip -n strata-fault address add 10.33.0.205/24 dev eth0; ip -n strata-fault link set eth0 up; ip neigh flush to 10.33.0.205`,
			"ip netns delete strata-fault; ip neigh flush to 10.33.0.205",
		},
	},
	{
		name: "the GatewayClass is deleted", layer: "traefik", gate: "traefik-programmed",
		object: "traefik", cause: "does not exist", fix: "pulumi up puts",
		inject: takenAway("gatewayclass traefik"), heal: givenBack,
	},
	{
		name: "a route is deleted", layer: "apps", gate: "workload-shop-traefik", object: "shop",
		cause:  "found 404",
		inject: takenAway("-n apps $(k3s kubectl -n apps get httproutes -o name)"), heal: givenBack,
		visible: `[ "$(curl -sko /dev/null -w '%{http_code}' --connect-to ::10.33.0.205: https://shop.platform.test/)" = 404 ]`,
	},
}

func scaled(namespace, deployment, replicas string) string {
	return "k3s kubectl -n " + namespace + " scale deployment " + deployment + " --replicas=" +
		replicas
}

// noPods returns a script that succeeds once a Deployment has no Pods.
func noPods(namespace, deployment string) string {
	return `[ -z "$(k3s kubectl -n ` + namespace + ` get deployment ` + deployment +
		` -o jsonpath='{.status.replicas}')" ]`
}
