package config

import (
	"slices"
	"strings"
)

var metallbOwned = slices.Concat(
	named(),
	set("", "crds"),
	because("addresses are announced in L2 mode only", "", "frrk8s", "frr-k8s", "speaker.frr"),
	relied(gated, "controller.enabled", "controller.webhookMode", "speaker.enabled"),
	relied("the Services of the ingress controllers have no class, and would stay without an address", "loadBalancerClass"),
	relied("the gate of the address pool waits for a speaker on every node", "speaker.nodeSelector", "speaker.affinity", "speaker.tolerateMaster"),
	relied("the gate of the rollout waits until every speaker is of the newest revision", "speaker.updateStrategy"),
	relied("without it MetalLB may do none of its work", "rbac.create"),
)

var certManagerOwned = slices.Concat(
	named("namespace"),
	because("Strata sets it", "use crds.keep", "crds"),
	relied("the chart refuses it beside crds.enabled, which Strata sets", "installCRDs"),
	set("use certManager.replicas", "replicaCount", "webhook.replicaCount", "cainjector.replicaCount"),
	because(budgeted, "use certManager.replicas", "podDisruptionBudget.enabled", "webhook.podDisruptionBudget.enabled"),
	unless(severalReplicas, because("with one replica the chart's PodDisruptionBudget blocks each drain of its node", "use certManager.replicas",
		"cainjector.podDisruptionBudget.enabled")),
	because("the gate of the API does this check, and says why", "", "startupapicheck"),
	relied("without it no webhook has its CA, and every certificate is refused", "cainjector.enabled"),
	relied("the gate asks the webhook's own Service, from namespace cert-manager", "webhook.url",
		"webhook.validatingWebhookConfiguration.namespaceSelector", "webhook.mutatingWebhookConfiguration.namespaceSelector"),
	relied("the Secrets of the cluster issuers are in namespace cert-manager", "clusterResourceNamespace"),
	relied("the login at Vault is for this account", "serviceAccount.create", "serviceAccount.name"),
	relied(unapproved, "disableAutoApproval"),
	unless(approvesOwn, because(unapproved, "list "+strings.Join(ownSigners, " and ")+" beside your own", "approveSignerNames")),
	relied("without it cert-manager may do none of its work", "global.rbac.create"),
)

const unapproved = "the platform's own certificates would never be approved"

// ownSigners are those of cert-manager's own issuers, which the chart has by default.
var ownSigners = []string{"issuers.cert-manager.io/*", "clusterissuers.cert-manager.io/*"}

// approvesOwn reports whether a list of signers has cert-manager's own. An empty one stands for
// every signer (cert-manager deploy/charts/cert-manager/values.yaml, approveSignerNames).
func approvesOwn(_ *Config, value any) bool {
	list, isList := value.([]any)
	if isList && len(list) == 0 {
		return true
	}
	return !slices.ContainsFunc(ownSigners, func(one string) bool { return !slices.Contains(list, any(one)) })
}

// severalReplicas allows a budget, and with one replica that there is none: the chart's keeps one
// Pod (deploy/charts/cert-manager/templates/cainjector-poddisruptionbudget.yaml).
func severalReplicas(c *Config, enabled any) bool {
	return c.CertManager.Replicas > 1 || enabled == false
}

var vaultOwned = slices.Concat(
	named("global.namespace"),
	set("", "global.tlsDisable", "server.updateStrategyType", "server.standalone", "server.authDelegator", "server.volumes", "server.volumeMounts"),
	because("Strata sets it", "use vault.storage.persistent", "server.dataStorage.enabled"),
	because("Strata sets it", "use vault.storage.size", "server.dataStorage.size"),
	because("Strata sets it", "use vault.storage.class", "server.dataStorage.storageClass"),
	because("Strata's configuration of Vault has its UI off, so the Service would lead to nothing", "", "ui.enabled"),
	relied("Vault's configuration keeps its data there", "server.dataStorage.mountPath"),
	because(off, "", "injector"),
	relied("one server is initialised, unsealed and gated", "global.enabled", "global.externalVaultAddr", "server.enabled", "server.ha", "server.dev"),
	relied("the issuer and the gate ask https://vault.vault.svc:8200", "server.service.enabled", "server.service.port", "server.service.targetPort"),
)

var argocdOwned = slices.Concat(
	named("namespaceOverride", "controller.name", "server.name", "repoServer.name", "redis.name"),
	because("Strata sets it", "use ingress.domain", "global.domain"),
	because("Strata sets it", "use crds.keep", "crds.install", "crds.keep"),
	because("TLS ends at the ingress", "", `configs.params["server.insecure"]`),
	relied("the route and its gate ask at the root", `configs.params["server.rootpath"]`, `configs.params["server.basehref"]`),
	because("the root application's health goes by it", "", `configs.cm["resource.customizations.health.argoproj.io_Application"]`),
	because("Strata sets it", "use argocd.adminPasswordHash", "configs.secret.argocdServerAdminPassword", "configs.secret.argocdServerAdminPasswordMtime"),
	relied("Strata's settings are in it", "configs.secret.createSecret", "configs.cm.create", "configs.params.create"),
	because("the Secret of Redis's password is Strata's own", "", "redisSecretInit"),
	relied(gated, "redis.enabled", "redis-ha.enabled", "externalRedis", "controller.dynamicClusterDistribution"),
	relied("Argo CD's route leads there", "server.service.servicePortHttp"),
	relied("without it Argo CD may change nothing in the cluster", "createClusterRoles"),
	unless(some, because("with none Argo CD does nothing", "write at least 1", "controller.replicas", "server.replicas", "repoServer.replicas")),
)

var waveOwned = slices.Concat(
	named(),
	set("use apps.wave.replicas", "replicas"),
	because(budgeted, "use apps.wave.replicas", "pdb.enabled"),
	because(gated, "", "webhooks.enabled"),
	relied("without it Wave may do none of its work", "global.rbac.enabled"),
)
