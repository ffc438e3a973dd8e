package vault

import "strata/health"

// Kind gates a Vault server in the cluster: the server must be initialised, unsealed and active,
// and have the rights of its Helm release.
const Kind health.Kind = "vault"

// Spec names a Vault server in the cluster.
type Spec struct {
	// Namespace and Pod identify the Pod that runs Vault. Port is the port of Vault's API, which
	// uses TLS.
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	Port      int    `json:"port"`
	// Workload is namespace/kind/name of the Pod's workload, whose Pods explain a failure.
	Workload string `json:"workload"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind, Workloads: true} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	need(s.Namespace != "" && s.Pod != "" && s.Port > 0, "vault: namespace, pod or port is empty")
}
