package health

import "strata/internal/pulumi/self"

// SecretsFrom reads a gate's secrets from its environment.
func SecretsFrom(env func(string) string) Secrets {
	return Secrets{
		SSHKey: []byte(env(self.SSHKey)), HypervisorKey: []byte(env(self.HypervisorKey)),
		Kubeconfig: []byte(env(self.Kubeconfig)),
		BasicAuth:  []byte(env(self.BasicAuth)), APIKey: []byte(env(self.APIKey)),
	}
}
