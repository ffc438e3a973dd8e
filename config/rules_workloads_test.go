package config_test

// workloadRules are cases for applications of the user's own.
var workloadRules = []rule{
	{"two workloads of one name", one("apps",
		`{"workloads":[{"name":"shop","image":"a:1"},{"name":"shop","image":"a:1"}]}`),
		"strata:apps.workloads[1].name: shop is there twice; give each workload a name of its own"},
	{"a name that a Service cannot have",
		one("apps", `{"workloads":[{"name":"1shop","image":"a:1"}]}`),
		"strata:apps.workloads[0].name: 1shop is not a name of at most 40 characters; use " +
			"lower-case letters, digits and dashes, beginning with a letter, for example shop"},
	{"a name that a canary has", one("apps",
		`{"workloads":[{"name":"shop","image":"a:1","routes":[{}],"canary":{}},{"name":"shop-canary","image":"a:1"}]}`),
		"strata:apps.workloads[1].name: shop-canary is what the canary of shop is called; choose another"},
	{"a name of a platform service", one("apps", `{"workloads":[{"name":"argocd","image":"a:1"}]}`),
		"strata:apps.workloads[0].name: argocd is a name of the platform's own services; choose another"},
	{"a startup limit that is longer than the gate", workloads(`"probes":{"startup":"298s"}`),
		"strata:apps.workloads[0].probes.startup: 4m58s is with minReady 5s longer than " +
			"timeouts.workload 5m0s, after which an up gives up; " +
			"raise timeouts.workload, or lower this"},
	{"a wait for a certificate that is longer than the gate",
		workloads(`"certificate":{"wait":"10m"}`),
		"strata:apps.workloads[0].certificate.wait: 10m0s is longer than timeouts.workload 5m0s, " +
			"after which an up gives up; raise timeouts.workload, or lower this"},
	{"a layer's namespace", workloads(`"namespace":"traefik"`),
		"strata:apps.workloads[0].namespace: traefik has an owner already; choose one that " +
			"nothing else uses, for example apps"},
	{"an image without a version", one("apps",
		`{"workloads":[{"name":"shop","image":"docker.io:443/acme/shop"}]}`),
		"strata:apps.workloads[0].image: docker.io:443/acme/shop names no version; append a tag " +
			"other than latest, or a digest, for example docker.io/acme/shop:1.2.3"},
	{"a single replica", workloads(`"replicas":1`),
		"strata:apps.workloads[0].replicas: 1 leaves no Pod to answer while this one is moved by " +
			"a drain, or its node is dead; " +
			"use 2 or more; or set acceptDowntime: true, for a workload that may be away for a while"},
	{"a fraction of a second", workloads(`"preStop":"1500ms"`),
		"strata:apps.workloads[0].preStop: 1.5s is not a number of whole seconds from 1s to " +
			"5m0s; Kubernetes counts this in seconds, write for example 15s"},
	{"a grace period that is too short", workloads(`"gracePeriod":"30s"`),
		"strata:apps.workloads[0].gracePeriod: 30s is not a number of whole seconds from 55s " +
			"(preStop 15s + longestRequest 30s + slack 10s) to 2h; " +
			"a Pod would be killed with requests in it; leave the key out"},
	{"a request that outlasts the ingress", workloads(`"longestRequest":"2m","routes":[{}]`),
		"strata:apps.workloads[0].longestRequest: 2m0s is longer than traefik.longestRequest " +
			"30s, which would cut the request in a rollout of the ingress; " +
			"raise traefik.longestRequest, or lower this"},
	{"a probe that is no path", workloads(`"probes":{"ready":"healthz"}`),
		"strata:apps.workloads[0].probes.ready: healthz is not a path from the root; write for example /healthz"},
	{"a file without an absolute path", workloads(`"secretFiles":{"etc/key":"hunter2"}`),
		`strata:apps.workloads[0].secretFiles["etc/key"]: is not an absolute path of a file; write for example /etc/shop/config.yaml`},
	{"a file in files and secretFiles", workloads(
		`"files":{"/etc/a":"x"},"secretFiles":{"/etc/a":"hunter2"}`),
		`strata:apps.workloads[0].secretFiles["/etc/a"]: is in files as well; remove one`},
	{"a variable in env and secretEnv", workloads(`"env":{"A":"x"},"secretEnv":{"A":"hunter2"}`),
		`strata:apps.workloads[0].secretEnv["A"]: is in env as well; remove one`},
	{"a malformed variable name", workloads(`"env":{"a-b":"x"}`),
		`strata:apps.workloads[0].env["a-b"]: is not the name of an environment variable; use letters, digits and underscores`},
	{"a file in the certificate's folder", workloads(`"certificate":{},"files":{"/etc/tls/a":"x"}`),
		`strata:apps.workloads[0].files["/etc/tls/a"]: is in certificate.mount, which holds the certificate and nothing else; choose another folder`},
	{"a certificate without an issuer", map[string]string{
		"certManager": `{"enabled":false}`,
		"apps":        `{"certWaitImage":"r/c:1","workloads":[{"name":"shop","image":"a:1","certificate":{}}]}`,
	}, "strata:apps.workloads[0].certificate: needs a CA, and certManager.enabled is false; " +
		"enable cert-manager, or remove the certificate"},
	{"a certificate for less than an hour", workloads(`"certificate":{"lifetime":"10m"}`),
		"strata:apps.workloads[0].certificate.lifetime: 10m0s is less than an hour; use 1h or " +
			"more, or leave the key out"},
	{"a host of two labels", workloads(`"routes":[{"host":"a.b"}]`),
		"strata:apps.workloads[0].routes[0].host: a.b is not one label below ingress.domain; " +
			"write for example shop, for shop.dev.strata.test"},
	{"a host of a platform service", workloads(`"routes":[{"host":"argocd"}]`),
		"strata:apps.workloads[0].routes[0].host: argocd is a name of the platform's own services; choose another"},
	{"one route twice", workloads(`"routes":[{},{}]`),
		"strata:apps.workloads[0].routes[1].host: shop with path / leads to workload shop " +
			"already; choose another host or path"},
	{"a route without an ingress controller", both("ingress", `{"controllers":[]}`, "apps",
		`{"workloads":[{"name":"shop","image":"a:1","routes":[{"controller":"traefik"}]}]}`),
		"strata:apps.workloads[0].routes[0].controller: traefik is none of ingress.controllers " +
			"empty; add it there, or remove the route"},
	{"a kind that Traefik does not read", workloads(`"routes":[{"kind":"ApisixRoute"}]`),
		"strata:apps.workloads[0].routes[0].kind: ApisixRoute is no kind of route of traefik; " +
			"known are HTTPRoute, Ingress"},
	{"a malformed memory request", workloads(`"resources":{"memory":"lots"}`),
		"strata:apps.workloads[0].resources.memory: lots is not a quantity; write for example " +
			"100m of cpu, or 128Mi of memory"},
	{"a memory limit below the request", workloads(`"resources":{"memory":"128Mi","memoryLimit":"64Mi"}`),
		"strata:apps.workloads[0].resources.memoryLimit: 64Mi is less than resources.memory " +
			"128Mi; raise it, or leave it out"},
	{"Wave without certificates", both("certManager", `{"enabled":false}`, "apps",
		`{"wave":{"enabled":true}}`),
		"strata:apps.wave.webhooks: true needs certificates, and certManager.enabled is false; " +
			"enable cert-manager, or set apps.wave.webhooks: false"},
	{"a workload with wave while Wave is disabled", workloads(`"wave":true`),
		"strata:apps.workloads[0].wave: true needs the operator, and apps.wave.enabled is false; " +
			"enable it, or remove the key"},
	{"a canary without a route", workloads(`"canary":{}`),
		"strata:apps.workloads[0].canary: needs routes, each of kind HTTPRoute, which alone has " +
			"weights; set kind: HTTPRoute in every route"},
	{"a canary with an Ingress", workloads(`"canary":{},"routes":[{"kind":"Ingress"}]`),
		"strata:apps.workloads[0].canary: needs routes, each of kind HTTPRoute, which alone has " +
			"weights; set kind: HTTPRoute in every route"},
	{"a canary with two routes of APISIX",
		both("ingress", `{"domain":"a.test","controllers":["traefik","apisix"]}`, "apps",
			`{"workloads":[{"name":"shop","image":"a:1","canary":{},"routes":[{},{"controller":"apisix","kind":"HTTPRoute"},{"controller":"apisix","kind":"HTTPRoute","path":"/api"}]}]}`),
		"strata:apps.workloads[0].canary: has more than one route of apisix, which takes no " +
			"configuration with two to one canary; leave one route of apisix"},
	{"a canary step of 100 percent", workloads(`"canary":{"steps":[100]},"routes":[{}]`),
		"strata:apps.workloads[0].canary.steps[0]: 100 is not a part in percent, from 1 to 99; " +
			"all of it is the rollout after the last step"},
	{"descending canary steps", workloads(`"canary":{"steps":[20,10]},"routes":[{}]`),
		"strata:apps.workloads[0].canary.steps[1]: 10 is not more than the 20 before it; put the steps in order"},
}
