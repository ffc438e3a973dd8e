package config_test

import "strata/config"

// layersRules are cases for the layers inside the cluster, except MetalLB.
var layersRules = []rule{
	{"consent for a malformed namespace name", one("discard", `{"namespaces":["Team A"]}`),
		"strata:discard.namespaces[0]: Team A is no name of a namespace; write one that a refused up has named"},
	{"consent for an unknown kind",
		one("discard", `{"objects":["ClusterIsuer/strata"]}`),
		"strata:discard.objects[0]: ClusterIsuer/strata has a kind that others cannot use; did " +
			"you mean ClusterIssuer?"},
	{"consent without the object's namespace", one("discard", `{"objects":["Gateway/traefik"]}`),
		"strata:discard.objects[0]: Gateway/traefik is not written as Gateway/NAMESPACE/NAME; " +
			"write it as a refused up has named it"},
	{"a malformed Gateway API version", one("crds", `{"gatewayAPIVersion":"1.6"}`),
		"strata:crds.gatewayAPIVersion: 1.6 is not of the form vX.Y.Z; write a release tag, " +
			"for example " + config.GatewayAPIVersion},
	{"a misspelt issuer", one("certManager", `{"issuer":"valut"}`),
		`strata:certManager.issuer: valut is not a known issuer; did you mean vault?`},
	{"a Vault beside issuer selfSigned", one("certManager",
		`{"vault":{"address":"https://vault.example.org:8200"}}`),
		"strata:certManager.vault: is set, and certManager.issuer is selfSigned; set " +
			"certManager.issuer: vault, or remove certManager.vault"},
	{"a Vault without TLS", one("certManager",
		`{"issuer":"vault","vault":{"address":"http://vault.example.org:8200"}}`),
		"strata:certManager.vault.address: is not an https URL without user; write it as " +
			"https://vault.example.org:8200"},
	{"a Vault without address", one("certManager", `{"issuer":"vault","vault":{"role":"strata"}}`),
		"strata:certManager.vault.address: is empty, and other keys of certManager.vault are " +
			"set; name the existing Vault; the stack's own Vault needs none of them"},
	{"a malformed path of Vault", one("certManager",
		`{"issuer":"vault","vault":{"address":"https://vault.example.org:8200","path":"pki"}}`),
		"strata:certManager.vault.path: pki is not of the form MOUNT/sign/ROLE; write for example pki_int/sign/strata"},
	{"a token beside a Kubernetes login", one("certManager", `{"issuer":"vault","vault":{"address":"https://vault.example.org:8200","token":"hunter2","role":"strata"}}`),
		"strata:certManager.vault.token: and the keys of the Kubernetes login (role, mount) " +
			"exclude each other; remove the token, or the others"},
	{"a malformed CA", one("certManager",
		`{"issuer":"vault","vault":{"address":"https://vault.example.org:8200","caCertificate":"hunter2"}}`),
		"strata:certManager.vault.caCertificate: is not a certificate in PEM; paste the file " +
			"that begins with -----BEGIN CERTIFICATE-----"},
	{"issuer vault with Vault disabled",
		map[string]string{"certManager": `{"issuer":"vault"}`, "vault": `{"enabled":false}`},
		"strata:vault.enabled: false leaves certManager.issuer vault without a Vault; enable it, " +
			"or set certManager.vault.address"},
	{"a malformed volume size", one("vault", `{"storage":{"size":"lots"}}`),
		"strata:vault.storage.size: lots is not a size of storage; write for example 1Gi"},
	{"a StorageClass without a volume", one("vault", `{"storage":{"persistent":false,"class":"fast"}}`),
		"strata:vault.storage.class: fast is set, and vault.storage.persistent is false; remove one of them"},
	{"negative replicas of cert-manager", one("certManager", `{"replicas":-1}`),
		"strata:certManager.replicas: -1 is less than one; use 1 or more"},
	{"an unknown ingress controller", one("ingress", `{"controllers":["treafik"]}`),
		"strata:ingress.controllers[0]: treafik is not a known ingress controller; did you mean traefik?"},
	{"an ingress controller twice", one("ingress", `{"controllers":["traefik","traefik"]}`),
		"strata:ingress.controllers[1]: traefik is there twice; remove one"},
	{"a malformed domain", one("ingress", `{"domain":"Example.org"}`),
		"strata:ingress.domain: Example.org is not a DNS domain; " +
			"use lower-case letters, digits, dashes and dots, for example staging.example.org"},
	{"name constraints without the platform's domain",
		both("certManager", `{"nameConstraints":["example.org","*.example.org"]}`, "ingress",
			`{"domain":"example.org"}`),
		"strata:certManager.nameConstraints[1]: *.example.org is not a DNS domain; write it " +
			"without a dot or a star in front, for example example.org"},
	{"name constraints for a similar domain",
		both("certManager", `{"nameConstraints":["ample.org"]}`, "ingress",
			`{"domain":"example.org"}`),
		"strata:certManager.nameConstraints: ample.org does not permit ingress.domain, " +
			"example.org; add it, or a domain that it is below"},
	{"name constraints for an external CA", one("certManager",
		`{"issuer":"vault","vault":{"address":"https://v.example.org","path":"pki/sign/a"},"nameConstraints":["example.org"]}`),
		"strata:certManager.nameConstraints: is set, and the CA is not this stack's; remove it, " +
			"or set certManager.issuer: selfSigned"},
	{"a malformed CA fingerprint", one("certManager", `{"acceptedCA":"AB:CD"}`),
		"strata:certManager.acceptedCA: AB:CD is no sha256 fingerprint; write 16 to 64 hex " +
			"digits, in lower case and without colons, as the gate names them"},
	{"a CA fingerprint for an external CA", one("certManager",
		`{"issuer":"vault","vault":{"address":"https://v.example.org","path":"pki/sign/a"},"acceptedCA":"0123456789abcdef"}`),
		"strata:certManager.acceptedCA: is set, and the CA is not this stack's; remove it, or " +
			"set certManager.issuer: selfSigned"},
	{"Traefik without certificates", both("ingress", `{"controllers":["traefik"]}`, "certManager",
		`{"enabled":false}`),
		"strata:ingress.controllers: traefik needs certificates, and certManager.enabled is false; " +
			"enable cert-manager, or set ingress.controllers: []"},
	{"Traefik without a load balancer", both("ingress", `{"controllers":["traefik"]}`, "metallb",
		`{"enabled":false}`),
		"strata:ingress.controllers: traefik needs a load balancer, and metallb.enabled is false; " +
			"enable MetalLB, or set ingress.controllers: []"},
	{"Traefik beside K3s's", one("k3s", `{"disable":["servicelb"]}`),
		"strata:k3s.disable: leaves K3s's own Traefik on, which would own the same CRDs and IngressClass; " +
			"add traefik to k3s.disable, or set ingress.controllers: []"},
	{"an address outside MetalLB's pool", one("traefik", `{"address":"10.10.0.99"}`),
		"strata:traefik.address: 10.10.0.99 is in none of metallb.addresses 10.10.0.200-10.10.0.210; " +
			"choose one of them, or leave the key out"},
	{"a longest request of a day", one("traefik", `{"longestRequest":"24h"}`),
		"strata:traefik.longestRequest: 24h0m0s is not between 1s and 1h0m0s; use the longest " +
			"time that a request may take, for example 30s"},
	{"Argo CD without an ingress controller", both("ingress", `{"controllers":[]}`, "argocd",
		`{"enabled":true}`),
		"strata:argocd.enabled: true needs Traefik for its route, and ingress.controllers is empty; " +
			"add traefik to ingress.controllers, or set argocd.enabled: false"},
	{"a password where its hash belongs", one("argocd", `{"adminPasswordHash":"hunter2"}`),
		`strata:argocd.adminPasswordHash: is not a bcrypt hash; make one: htpasswd -nbBC 10 "" PASSWORD | tr -d ':\n'`},
	{"a root application without a repository", one("argocd", `{"root":{"path":"apps"}}`),
		"strata:argocd.root.repoURL: is empty, and other keys of argocd.root are set; name the " +
			"repository, or remove argocd.root"},
	{"a malformed repository URL", one("argocd", `{"root":{"repoURL":"platform"}}`),
		"strata:argocd.root.repoURL: is not a Git URL by https, http or ssh; " +
			"write it as git clone takes it, for example https://git.example.org/platform.git"},
	{"a password in the URL", one("argocd",
		`{"root":{"repoURL":"https://me:hunter2@git.example.org/p.git"}}`),
		"strata:argocd.root.repoURL: holds a user or a password; set argocd.root.username, and " +
			"argocd.root.password as a secret"},
	{"a path out of the repository", one("argocd",
		`{"root":{"repoURL":"https://git.example.org/p.git","path":"../x"}}`),
		"strata:argocd.root.path: ../x leads out of the repository; write a path relative to its " +
			"top, for example apps"},
	{"a user without a password", one("argocd",
		`{"root":{"repoURL":"https://git.example.org/p.git","username":"me"}}`),
		"strata:argocd.root.password: and username go together, and one is empty; set both, or none"},
	{"Argo CD behind APISIX", both("ingress", `{"controllers":["apisix"]}`, "argocd",
		`{"enabled":true}`),
		"strata:argocd.enabled: true needs Traefik for its route, and ingress.controllers is apisix; " +
			"add traefik to ingress.controllers, or set argocd.enabled: false"},
	{"APISIX without certificates", both("ingress", `{"controllers":["apisix"]}`, "certManager",
		`{"enabled":false}`),
		"strata:ingress.controllers: apisix needs certificates, and certManager.enabled is false; " +
			"enable cert-manager, or set ingress.controllers: []"},
	{"one address for two controllers", map[string]string{
		"ingress": `{"controllers":["traefik","apisix"]}`, "traefik": `{"address":"10.10.0.205"}`,
		"apisix": `{"address":"10.10.0.205"}`,
	}, "strata:apisix.address: 10.10.0.205 is traefik.address, and both listen on ports 80 and " +
		"443; choose two addresses"},
	{"negative replicas of APISIX", both("ingress", `{"controllers":["apisix"]}`, "apisix", `{"replicas":-1}`),
		"strata:apisix.replicas: -1 is less than one; use 2 or more, so that one can go while another serves"},
	{"a malformed chart version of APISIX", both("ingress", `{"controllers":["apisix"]}`, "apisix",
		`{"controllerChartVersion":"new"}`),
		"strata:apisix.controllerChartVersion: new is not a chart version; write X.Y.Z, " +
			"for example " + config.APISIXControllerChartVersion},
	{"a longest request of a day through APISIX", both("ingress", `{"controllers":["apisix"]}`, "apisix",
		`{"longestRequest":"24h"}`),
		"strata:apisix.longestRequest: 24h0m0s is not between 1s and 1h0m0s; use the longest " +
			"time that a request may take, for example 30s"},
	{"an APISIX address outside MetalLB's pool", both("ingress", `{"controllers":["apisix"]}`, "apisix",
		`{"address":"10.10.0.99"}`),
		"strata:apisix.address: 10.10.0.99 is in none of metallb.addresses " +
			"10.10.0.200-10.10.0.210; choose one of them, or leave the key out"},
	{"the demo without APISIX", one("apps", `{"demo":true}`),
		"strata:apps.demo: true needs APISIX, and ingress.controllers is traefik; add apisix to " +
			"ingress.controllers, or set apps.demo: false"},
	{"a misspelt validate", one("apps", `{"validate":"ful"}`),
		"strata:apps.validate: ful is neither full nor skip; did you mean full?"},
	{"a manifest with a wrong extension", one("apps", `{"manifests":["deploy.sh"]}`),
		"strata:apps.manifests[0]: deploy.sh is not the path of a YAML or JSON file; name a file " +
			"that ends in .yaml or .json"},
	{"manifests by URL and pattern",
		one("apps", `{"manifests":["*.yaml","https://example.org/x.yaml"]}`),
		"strata:apps.manifests[0]: *.yaml is a URL or a pattern, which are not read; name one file\n" +
			"strata:apps.manifests[1]: https://example.org/x.yaml is a URL or a pattern, which are " +
			"not read; name one file"},
	{"a manifest twice", one("apps", `{"manifests":["a.yaml","a.yaml"]}`),
		"strata:apps.manifests[1]: a.yaml is there twice; remove one"},
	{"negative replicas of Traefik", one("traefik", `{"replicas":-1}`),
		"strata:traefik.replicas: -1 is less than one; use 2 or more, so that one can go while another serves"},
}
