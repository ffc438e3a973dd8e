package main

// step is a step of the script: it applies, installs, applies more, and waits.
type step struct {
	// wait is the number of the wait in redeploy.sh; 0 for a second part of the wait before. lines
	// are the line numbers in redeploy.sh.
	wait        int
	lines, what string
	// If definitions is true, the step first applies the files of CRDs and waits until they are
	// established, as Helm does with a chart's CRDs.
	definitions bool
	// before, install and apply are names of the stack's resources, in their order. contested are
	// objects whose apply is repeated until the webhook admits them.
	before, install, contested, apply []string
	// watch has the arguments of each kubectl command with which the step waits.
	watch [][]string
	// gates are the stack's gates that the step runs at its end.
	gates []string
}

// limit is the timeout of each wait. redeploy.sh has 120 to 240 s, which no wait reaches.
const limit = "--timeout=240s"

// script has the steps of redeploy.sh.
var script = []step{
	{wait: 1, lines: "388-389", what: "control-plane nodes",
		watch: [][]string{waits("", "Ready", "node", "--all")}},
	{
		wait: 2, lines: "241-242", what: "cert-manager's definitions",
		before: []string{"cert-manager-namespace"}, install: []string{"cert-manager-release"},
		watch: [][]string{
			waits("", "Established", "crd/issuers.cert-manager.io",
				"crd/clusterissuers.cert-manager.io", "crd/certificates.cert-manager.io")},
	},
	{
		wait: 3, lines: "202-214", what: "cert-manager's Deployments", watch: [][]string{
			rollout("cert-manager", "cert-manager"),
			rollout("cert-manager", "cert-manager-webhook"),
			rollout("cert-manager", "cert-manager-cainjector"),
		},
	},
	{
		wait: 4, lines: "406-410", what: "APISIX's installation", definitions: true,
		before:    []string{"apisix-namespace", "apisix-keys", "apisix-admin-policy"},
		install:   []string{"apisix-controller-release", "apisix-release"},
		contested: []string{"apisix-proxy", "apisix-ingress-class"},
	},
	{wait: 5, lines: "412-416", what: "the data plane's rollout",
		watch: [][]string{rollout("apisix", "apisix")}},
	{wait: 6, lines: "418-422", what: "the ingress controller's rollout",
		watch: [][]string{rollout("apisix", "apisix-ingress-controller")}},
	{
		wait: 7, lines: "269-273", what: "the TLS Certificate",
		apply: []string{"ca-root-issuer", "ca-root", "ca-issuer",
			"apisix-tls-request", "apisix-certificate"},
		watch: [][]string{waits("apisix", "Ready", "certificate/apisix-tls")},
	},
	{wait: 8, lines: "275", what: "its Secret",
		watch: [][]string{{"-n", "apisix", "wait", "--for=create", limit, "secret/apisix-tls"}}},
	{
		wait: 9, lines: "462-464", what: "httpbin's Deployment", apply: []string{
			"apisix-gateway-class", "apisix-gateway", "demo-namespace", "demo-httpbin",
			"demo-httpbin-service", "demo-httpbin-route",
		},
		watch: [][]string{rollout("demo", "httpbin")},
	},
	{
		wait: 10, lines: "481-482", what: "Keycloak's Deployment", apply: []string{
			"demo-realm", "demo-keycloak-secret", "demo-keycloak", "demo-keycloak-service",
			"demo-keycloak-route",
			"demo-login", "demo-login-plugins", "demo-login-route",
		},
		watch: [][]string{rollout("demo", "keycloak")},
	},
	{
		lines: "521-522", what: "go-rest's Deployment", apply: []string{
			"demo-go-rest", "demo-go-rest-service", "demo-rest-key", "demo-rest-consumer",
			"demo-rest-plugins", "demo-rest-route",
		},
		watch: [][]string{rollout("demo", "go-rest")},
	},
	{
		wait: 11, lines: "540-542", what: "the Gateway's conditions", watch: [][]string{
			waits("apisix", "Accepted", "gateway/apisix"),
			{"-n", "apisix", "wait",
				`--for=jsonpath={.status.listeners[?(@.name=="https")].attachedRoutes}=2`, limit,
				"gateway/apisix"},
		},
	},
}

// validation is the script's last step: its connectivity and Prometheus probes, as gates.
var validation = step{what: "the probes",
	gates: []string{"validation-probes", "validation-metrics"}}

// waits returns the arguments with which kubectl waits for a condition; namespace may be empty.
func waits(namespace, condition string, what ...string) []string {
	args := []string{"wait", "--for=condition=" + condition, limit}
	if namespace != "" {
		args = append(args, "-n", namespace)
	}
	return append(args, what...)
}

// rollout returns the arguments with which kubectl waits for the rollout of a Deployment.
func rollout(namespace, deployment string) []string {
	return []string{"-n", namespace, "rollout", "status", "deployment/" + deployment, limit}
}
