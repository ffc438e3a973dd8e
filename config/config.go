package config

// Config is the whole configuration of one stack. If only certain texts are allowed for a field,
// its tag enum lists them for docs/config.md and the schema of stack files. Validate enforces them.
type Config struct {
	// Stack is the Pulumi stack's name; it prefixes the names of the stack's things on this
	// machine.
	Stack string `json:"-"`
	// Hosts is the section `strata:hosts`: the hosts on which the cluster runs.
	Hosts Hosts `json:"hosts"`
	// Cluster is the section `strata:cluster`: an existing cluster, in place of hosts.
	Cluster Cluster `json:"cluster"`
	// K3s is the section `strata:k3s`.
	K3s K3s `json:"k3s"`
	// Upgrade is the section `strata:upgrade`: how a changed K3s reaches the nodes.
	Upgrade Upgrade `json:"upgrade"`
	// MetalLB is the section `strata:metallb`.
	MetalLB MetalLB `json:"metallb"`
	// CRDs is the section `strata:crds`: the custom resource definitions (CRDs) that no chart
	// brings.
	CRDs CRDs `json:"crds"`
	// CertManager is the section `strata:certManager`: certificates and the CA that signs them.
	CertManager CertManager `json:"certManager"`
	// Vault is the section `strata:vault`: the stack's own Vault, which signs in place of the
	// stack's own CA.
	Vault Vault `json:"vault"`
	// Ingress is the section `strata:ingress`: the ingress controllers, and the domain of the
	// platform's names.
	Ingress Ingress `json:"ingress"`
	// Traefik is the section `strata:traefik`.
	Traefik Traefik `json:"traefik"`
	// APISIX is the section `strata:apisix`: for controller apisix.
	APISIX APISIX `json:"apisix"`
	// ArgoCD is the section `strata:argocd`.
	ArgoCD ArgoCD `json:"argocd"`
	// Apps is the section `strata:apps`: the applications on the platform.
	Apps Apps `json:"apps"`
	// Discard is the section `strata:discard`: consent to the loss of others' objects.
	Discard Discard `json:"discard"`
	// Artifacts is the section `strata:artifacts`: where binaries, charts and images come from.
	Artifacts Artifacts `json:"artifacts"`
	// Verify is `on` or `off`. With on, each `pulumi up` ends by asking the gates that none of its
	// steps ran. A closed gate fails the run, which undoes nothing; in a preview it is a warning.
	// Default on.
	Verify Switch `json:"verify"`
	// Drift is the section `strata:drift`: what an update does with things that were changed since
	// the last one.
	Drift Drift `json:"drift"`
	// Timeouts is the section `strata:timeouts`.
	Timeouts Timeouts `json:"timeouts"`
}
