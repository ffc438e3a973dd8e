package catalog

// debianUser is the user id of the official images of Argo CD and Redis.
const debianUser = 999

// vaultUser is the user id of Vault's official image. The chart sets the same id.
const vaultUser = 100

// platformArchives returns the images of the charts for Traefik, Vault, Argo CD and cert-manager.
func platformArchives() []archive {
	list := []archive{
		{
			step: stepTraefik, binary: "traefik", reference: "docker.io/traefik:v" + traefikVersion,
			user: nonRoot, version: traefikVersion,
			origin: "real: from Traefik's module, without the dashboard's pages, ACME, plugins, " +
				"Brotli, InfluxDB, the fast proxy and providers of other systems than " +
				"Kubernetes, with an older go-http-auth",
		},
		{
			step: stepVault, binary: "vault", reference: "docker.io/hashicorp/vault:" + vaultVersion,
			// The chart mounts configuration and data at /vault, so the binary must be elsewhere.
			// The official chart runs a shell, which the base layer has.
			root: stepVaultRoot, path: "/usr/local/bin/vault", user: vaultUser,
			version: vaultVersion, origin: "real: from Vault's module, without the UI",
		},
	}
	list = append(list, argocdArchives()...)
	for _, binary := range []string{"controller", "webhook", "cainjector", "acmesolver"} {
		name := "cert-manager-" + binary
		list = append(list, archive{
			step: stepCertManager, binary: binary, name: name, reference: "quay.io/jetstack/" +
				name + ":v" + certManagerVersion,
			user: nonRoot, version: certManagerVersion,
			origin: "real: cert-manager's packages, in a command of the lab's with the options " +
				"of its chart, without Venafi and, but for RFC 2136, DNS01",
		})
	}
	return list
}

// argocdArchives returns the images of Argo CD and of its Redis.
func argocdArchives() []archive {
	const bin = "/usr/local/bin/"
	var links []string
	for _, name := range []string{
		"server", "repo-server", "application-controller", "applicationset-controller",
		"cmp-server", "dex", "notifications", "k8s-auth",
	} {
		links = append(links, bin+"argocd-"+name)
	}
	return []archive{
		{
			step: stepArgoCD, binary: "argocd", reference: "quay.io/argoproj/argocd:v" + argocdVersion,
			root: stepArgoCDRoot, path: bin + "argocd", links: links, entrypoint: []string{"/usr/bin/tini", "--"},
			user: debianUser, version: argocdVersion,
			origin: "real: from Argo CD's module, without the UI, the command argocd, Helm, " +
				"Kustomize, Jsonnet, notifications, webhooks and the forges' APIs; Git from Debian",
		},
		{
			name: "redis", reference: "ecr-public.aws.com/docker/library/redis:8.2.3-alpine",
			root: stepRedisRoot, entrypoint: []string{"/usr/bin/redis-server"},
			user: debianUser, version: redisVersion,
			origin: "stand-in: Debian's Redis, under the reference of Argo CD's chart",
		},
	}
}
