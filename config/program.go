package config

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// ForProgram makes the configuration of a program that uses Strata's components. It reads and
// checks the strata: sections of the stack that Pulumi is running. If a stack has no hosts, no
// cluster.context and no cluster.kubeconfig, the program provides the cluster, and no layer is on
// by default. adjust, if not nil, can turn on layers before the check.
func ForProgram(ctx *pulumi.Context, adjust func(*Config)) (*Config, error) {
	return fromPulumi(ctx, decoder{program: true, adjust: adjust})
}

// leavesCluster reports whether the sections configure no cluster, so that a program provides it.
func leavesCluster(raw map[string]string) bool {
	hosts, _ := valueOf(raw["hosts"]).(map[string]any)
	cluster, _ := valueOf(raw["cluster"]).(map[string]any)
	return len(hosts) == 0 && cluster["context"] == nil && cluster["kubeconfig"] == nil
}

// leaveCluster turns MetalLB and cert-manager off by default, for a cluster that a program
// provides.
func (c *Config) leaveCluster() {
	c.Cluster.ofProgram = true
	c.MetalLB.Enabled, c.CertManager.Enabled = new(bool), new(bool)
}
