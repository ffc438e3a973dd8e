package config_test

import "strata/config"

// layersRules are about what is inside the cluster, less MetalLB.
var layersRules = []rule{
	{"a Gateway API that is no release", one("crds", `{"gatewayAPIVersion":"1.6"}`),
		"strata:crds.gatewayAPIVersion: 1.6 is not of the form vX.Y.Z; write a release tag, for example " + config.GatewayAPIVersion},
	{"an issuer that resembles one", one("certManager", `{"issuer":"valut"}`),
		`strata:certManager.issuer: valut is not a known issuer; did you mean vault?`},
	{"a Vault for nobody", one("certManager", `{"vault":{"address":"https://vault.example.org:8200"}}`),
		"strata:certManager.vault: is set, and certManager.issuer is selfSigned; set certManager.issuer: vault, or remove certManager.vault"},
	{"a Vault without TLS", one("certManager", `{"issuer":"vault","vault":{"address":"http://vault.example.org:8200"}}`),
		"strata:certManager.vault.address: is not an https URL without user; write it as https://vault.example.org:8200"},
	{"a Vault without address", one("certManager", `{"issuer":"vault","vault":{"role":"strata"}}`),
		"strata:certManager.vault.address: is empty, and other keys of certManager.vault are set; name the existing Vault; the stack's own Vault needs none of them"},
	{"a path that signs nothing", one("certManager", `{"issuer":"vault","vault":{"address":"https://vault.example.org:8200","path":"pki"}}`),
		"strata:certManager.vault.path: pki is not of the form MOUNT/sign/ROLE; write for example pki_int/sign/strata"},
	{"two logins", one("certManager", `{"issuer":"vault","vault":{"address":"https://vault.example.org:8200","token":"hunter2","role":"strata"}}`),
		"strata:certManager.vault.token: and the keys of the Kubernetes login (role, mount) exclude each other; remove the token, or the others"},
	{"an authority that is none", one("certManager", `{"issuer":"vault","vault":{"address":"https://vault.example.org:8200","caCertificate":"hunter2"}}`),
		"strata:certManager.vault.caCertificate: is not a certificate in PEM; paste the file that begins with -----BEGIN CERTIFICATE-----"},
	{"a Vault that is switched off and needed", map[string]string{"certManager": `{"issuer":"vault"}`, "vault": `{"enabled":false}`}, "strata:vault.enabled: false leaves certManager.issuer vault without a Vault; enable it, or set certManager.vault.address"},
	{"no size at all", one("vault", `{"storage":{"size":"lots"}}`),
		"strata:vault.storage.size: lots is not a size of storage; write for example 1Gi"},
	{"a class for no volume", one("vault", `{"storage":{"persistent":false,"class":"fast"}}`),
		"strata:vault.storage.class: fast is set, and vault.storage.persistent is false; remove one of them"},
	{"no webhook at all", one("certManager", `{"replicas":-1}`),
		"strata:certManager.replicas: -1 is less than one; use 1 or more"},
	{"an unknown ingress controller", one("ingress", `{"controllers":["treafik"]}`),
		"strata:ingress.controllers[0]: treafik is not a known ingress controller; did you mean traefik?"},
	{"one controller twice", one("ingress", `{"controllers":["traefik","traefik"]}`),
		"strata:ingress.controllers[1]: traefik is there twice; remove one"},
	{"a domain that is none", one("ingress", `{"domain":"Example.org"}`),
		"strata:ingress.domain: Example.org is not a DNS domain; " +
			"use lower-case letters, digits, dashes and dots, for example staging.example.org"},
	{"Traefik without certificates", both("ingress", `{"controllers":["traefik"]}`, "certManager", `{"enabled":false}`),
		"strata:ingress.controllers: traefik needs certificates, and certManager.enabled is false; " +
			"enable cert-manager, or set ingress.controllers: []"},
	{"Traefik without a load balancer", both("ingress", `{"controllers":["traefik"]}`, "metallb", `{"enabled":false}`),
		"strata:ingress.controllers: traefik needs a load balancer, and metallb.enabled is false; " +
			"enable MetalLB, or set ingress.controllers: []"},
	{"Traefik beside K3s's", one("k3s", `{"disable":["servicelb"]}`),
		"strata:k3s.disable: leaves K3s's own Traefik on, which would own the same resource definitions and IngressClass; " +
			"add traefik to k3s.disable, or set ingress.controllers: []"},
	{"an address that MetalLB does not have", one("traefik", `{"address":"10.10.0.99"}`),
		"strata:traefik.address: 10.10.0.99 is in none of metallb.addresses 10.10.0.200-10.10.0.210; " +
			"choose one of them, or leave the key out"},
	{"a request for a day", one("traefik", `{"longestRequest":"24h"}`),
		"strata:traefik.longestRequest: 24h0m0s is not between 1s and 1h0m0s; use the longest time that a request may take, for example 30s"},
	{"Argo CD without a way in", both("ingress", `{"controllers":[]}`, "argocd", `{"enabled":true}`),
		"strata:argocd.enabled: true needs an ingress controller, and ingress.controllers is empty; " +
			"add traefik to ingress.controllers, or set argocd.enabled: false"},
	{"a password where its hash belongs", one("argocd", `{"adminPasswordHash":"hunter2"}`),
		`strata:argocd.adminPasswordHash: is not a bcrypt hash; make one: htpasswd -nbBC 10 "" PASSWORD | tr -d ':\n'`},
	{"a root application without a repository", one("argocd", `{"root":{"path":"apps"}}`),
		"strata:argocd.root.repoURL: is empty, and other keys of argocd.root are set; name the repository, or remove argocd.root"},
	{"a repository that is none", one("argocd", `{"root":{"repoURL":"platform"}}`),
		"strata:argocd.root.repoURL: is not a Git URL by https, http or ssh; " +
			"write it as git clone takes it, for example https://git.example.org/platform.git"},
	{"a password in the URL", one("argocd", `{"root":{"repoURL":"https://me:hunter2@git.example.org/p.git"}}`),
		"strata:argocd.root.repoURL: holds a user or a password; set argocd.root.username, and argocd.root.password as a secret"},
	{"a path out of the repository", one("argocd", `{"root":{"repoURL":"https://git.example.org/p.git","path":"../x"}}`),
		"strata:argocd.root.path: ../x leads out of the repository; write a path relative to its top, for example apps"},
	{"a user without a password", one("argocd", `{"root":{"repoURL":"https://git.example.org/p.git","username":"me"}}`),
		"strata:argocd.root.password: and username go together, and one is empty; set both, or none"},
	{"no Traefik at all", one("traefik", `{"replicas":-1}`),
		"strata:traefik.replicas: -1 is less than one; use 2 or more, so that one can go while another serves"},
}
