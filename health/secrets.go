package health

// SecretsFrom reads a gate's secrets from its environment.
func SecretsFrom(env func(string) string) Secrets {
	return Secrets{
		SSHKey: []byte(env("STRATA_SSH_KEY")), HypervisorKey: []byte(env("STRATA_HYPERVISOR_KEY")), Kubeconfig: []byte(env("STRATA_KUBECONFIG")),
		BasicAuth: []byte(env("STRATA_BASIC_AUTH")), APIKey: []byte(env("STRATA_API_KEY")),
	}
}
