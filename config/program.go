package config

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// ForProgram makes the configuration of a program that uses Strata's components. It reads and
// checks the strata: sections of the stack that Pulumi is running. A stack without hosts,
// cluster.context and cluster.kubeconfig leaves the cluster to the program, and no layer is on by
// default. adjust, if not nil, turns on the layers that the program registers, before the check.
func ForProgram(ctx *pulumi.Context, adjust func(*Config)) (*Config, error) {
	return fromPulumi(ctx, decoder{program: true, adjust: adjust})
}

// leavesCluster reports whether the sections leave the cluster to a program.
func leavesCluster(raw map[string]string) bool {
	hosts, _ := valueOf(raw["hosts"]).(map[string]any)
	cluster, _ := valueOf(raw["cluster"]).(map[string]any)
	return len(hosts) == 0 && cluster["context"] == nil && cluster["kubeconfig"] == nil
}

// leaveCluster changes the defaults for a program's own cluster.
func (c *Config) leaveCluster() {
	c.Cluster.ofProgram = true
	c.MetalLB.Enabled, c.CertManager.Enabled = new(bool), new(bool)
}
