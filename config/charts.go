package config

// Names of the layers' artifacts in strata.lock and in a bundle's manifest, each with its pinned
// release.
const (
	// ArtifactMetalLBChart is MetalLB's Helm chart.
	ArtifactMetalLBChart = "metallb-chart"
	// MetalLBChartVersion is the pinned release of MetalLB's chart.
	MetalLBChartVersion = "0.16.2"
	// ArtifactGatewayCRDs are the Gateway API's CRDs, standard channel: the newest release that
	// both Traefik and APISIX support (Traefik 3.7 needs 1.5 or later, APISIX's controller is built
	// with 1.6).
	ArtifactGatewayCRDs = "gateway-api-crds"
	// GatewayAPIVersion is the pinned release of the Gateway API.
	GatewayAPIVersion = "v1.6.1"
	// ArtifactCertManagerChart is cert-manager's Helm chart, which brings its CRDs.
	ArtifactCertManagerChart = "cert-manager-chart"
	// CertManagerChartVersion is the pinned release of cert-manager's chart.
	CertManagerChartVersion = "v1.21.2"
	// ArtifactVaultChart is Vault's Helm chart.
	ArtifactVaultChart = "vault-chart"
	// VaultChartVersion is the pinned release of Vault's chart.
	VaultChartVersion = "0.34.1"
	// ArtifactTraefikCRDs are Traefik's own CRDs, of the release that the pinned chart runs.
	ArtifactTraefikCRDs = "traefik-crds"
	// TraefikVersion is the pinned release of Traefik's CRDs.
	TraefikVersion = "v3.7.11"
	// ArtifactTraefikChart is Traefik's Helm chart.
	ArtifactTraefikChart = "traefik-chart"
	// TraefikChartVersion is the pinned release of Traefik's chart.
	TraefikChartVersion = "41.3.0"
	// ArtifactAPISIXControllerChart is the Helm chart of APISIX's ingress controller. It is the
	// first with controller 2.2.0: earlier controllers keep stale upstreams (docs/versions.md).
	ArtifactAPISIXControllerChart = "apisix-controller-chart"
	// APISIXControllerChartVersion is the pinned release of the controller's chart.
	APISIXControllerChartVersion = "1.3.0"
	// ArtifactAPISIXCRDs are APISIX's own CRDs. They are installed without the controller's chart,
	// which would also install a Gateway API of its own.
	ArtifactAPISIXCRDs = "apisix-crds"
	// ArtifactAPISIXChart is the Helm chart of APISIX's data plane.
	ArtifactAPISIXChart = "apisix-chart"
	// APISIXChartVersion is the pinned release of the data plane's chart.
	APISIXChartVersion = "2.14.0"
	// ArtifactArgoCDChart is Argo CD's Helm chart, which brings its CRDs.
	ArtifactArgoCDChart = "argocd-chart"
	// ArgoCDChartVersion is the pinned release of Argo CD's chart.
	ArgoCDChartVersion = "10.1.1"
	// ArtifactWaveChart is Wave's Helm chart.
	ArtifactWaveChart = "wave-chart"
	// WaveChartVersion is the pinned release of Wave's chart.
	WaveChartVersion = "4.5.0"
)

// charts has a row for each chart and bundle of CRDs, in the order of strata.lock.
var charts = []chart{
	{
		Pin: Pin{Name: ArtifactMetalLBChart, Version: MetalLBChartVersion,
			Key: "strata:metallb.chartVersion",
			URL: "https://github.com/metallb/metallb/releases/download/metallb-chart-VERSION/metallb-VERSION.tgz"},
		needed:    func(c *Config) bool { return *c.MetalLB.Enabled },
		namespace: "metallb-system",
		values:    "metallb.values", owned: metallbOwned,
		defaults: liveness("controller.", "speaker."),
	},
	{
		Pin: Pin{Name: ArtifactGatewayCRDs, Version: GatewayAPIVersion,
			Key: "strata:crds.gatewayAPIVersion",
			URL: "https://github.com/kubernetes-sigs/gateway-api/releases/download/VERSION/standard-install.yaml"},
		needed: func(c *Config) bool { return usesTraefik(c) || usesAPISIX(c) },
	},
	{
		Pin: Pin{Name: ArtifactCertManagerChart, Version: CertManagerChartVersion,
			Key: "strata:certManager.chartVersion",
			URL: "https://charts.jetstack.io/charts/cert-manager-VERSION.tgz"},
		needed:    func(c *Config) bool { return *c.CertManager.Enabled },
		namespace: "cert-manager",
		values:    "certManager.values", owned: certManagerOwned, defaults: liveness("webhook."),
	},
	{
		Pin: Pin{Name: ArtifactVaultChart, Version: VaultChartVersion,
			Key: "strata:vault.chartVersion",
			URL: "https://helm.releases.hashicorp.com/vault-VERSION.tgz"},
		needed:    func(c *Config) bool { return *c.Vault.Enabled },
		namespace: "vault",
		values:    "vault.values", owned: vaultOwned,
	},
	{
		Pin: Pin{Name: ArtifactTraefikCRDs, Version: TraefikVersion,
			URL: "https://raw.githubusercontent.com/traefik/traefik/VERSION/docs/content/reference/" +
				"dynamic-configuration/kubernetes-crd-definition-v1.yml"},
		needed: usesTraefik,
	},
	{
		Pin: Pin{Name: ArtifactTraefikChart, Version: TraefikChartVersion,
			Key: "strata:traefik.chartVersion",
			URL: "https://traefik.github.io/charts/traefik/traefik-VERSION.tgz"},
		needed:    usesTraefik,
		namespace: "traefik",
		values:    "traefik.values", owned: traefikOwned,
		defaults: append(liveness(""), "global.checkNewVersion", "global.sendAnonymousUsage",
			"ingressClass.isDefaultClass"),
	},
	{
		Pin: Pin{Name: ArtifactAPISIXCRDs, Version: APISIXControllerChartVersion,
			Key: "strata:apisix.controllerChartVersion",
			URL: "https://raw.githubusercontent.com/apache/apisix-helm-chart/apisix-ingress-controller-VERSION/" +
				"charts/apisix-ingress-controller/crds/apisixic-crds.yaml"},
		needed: usesAPISIX,
	},
	{
		Pin: Pin{Name: ArtifactAPISIXControllerChart, Version: APISIXControllerChartVersion,
			Key: "strata:apisix.controllerChartVersion",
			URL: "https://github.com/apache/apisix-helm-chart/releases/download/" +
				"apisix-ingress-controller-VERSION/apisix-ingress-controller-VERSION.tgz"},
		needed:    usesAPISIX,
		namespace: "apisix",
		values:    "apisix.controllerValues", owned: apisixControllerOwned,
	},
	{
		Pin: Pin{Name: ArtifactAPISIXChart, Version: APISIXChartVersion,
			Key: "strata:apisix.chartVersion",
			URL: "https://github.com/apache/apisix-helm-chart/releases/download/apisix-VERSION/apisix-VERSION.tgz"},
		needed:    usesAPISIX,
		namespace: "apisix",
		values:    "apisix.values", owned: apisixOwned,
	},
	{
		Pin: Pin{Name: ArtifactArgoCDChart, Version: ArgoCDChartVersion,
			Key: "strata:argocd.chartVersion",
			URL: "https://github.com/argoproj/argo-helm/releases/download/argo-cd-VERSION/argo-cd-VERSION.tgz"},
		needed:    func(c *Config) bool { return *c.ArgoCD.Enabled },
		namespace: "argocd",
		values:    "argocd.values", owned: argocdOwned,
		defaults: []string{"global.networkPolicy.create", "dex.enabled", "notifications.enabled",
			"applicationSet.replicas"},
	},
	{
		Pin: Pin{Name: ArtifactWaveChart, Version: WaveChartVersion,
			Key: "strata:apps.wave.chartVersion",
			URL: "https://github.com/wave-k8s/wave/releases/download/wave-VERSION/wave-VERSION.tgz"},
		needed:    func(c *Config) bool { return c.Apps.Wave.Enabled },
		namespace: "wave",
		values:    "apps.wave.values", owned: waveOwned,
	},
}
