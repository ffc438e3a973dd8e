package platform

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/components"
	"strata/config"
)

// applications registers Wave and the user's workloads. Workloads wait for their prerequisites, but
// not for each other.
func (a *above) applications(
	ctx *pulumi.Context, cfg *config.Config, start components.Layer,
) error {
	if cfg.Apps.Wave.Enabled {
		args := &components.WaveArgs{Layer: start, Config: cfg.Apps.Wave}
		if a.manager != nil {
			args.Certificates = a.manager.API
		}
		var err error
		if a.wave, err = components.NewWave(ctx, "wave", args); err != nil {
			return err
		}
	}
	if len(cfg.Apps.Workloads) == 0 {
		return nil
	}
	spaces, err := components.NewNamespaces(ctx, "workloads", &components.NamespacesArgs{
		Names: cfg.Apps.WorkloadNamespaces(), Cluster: start.Cluster, After: start.After,
	})
	if err != nil {
		return err
	}
	a.workloads = map[string]*components.Workload{}
	for _, one := range cfg.Apps.Workloads {
		args := &components.WorkloadArgs{
			Config: one, Namespace: spaces.Objects[one.Namespace], Cluster: start.Cluster,
			Kubernetes:    start.Cluster.Version,
			CertWaitImage: cfg.Apps.CertWaitImage, Ingress: a.ways(cfg), Full: cfg.Apps.Full(),
			Timeouts: cfg.Timeouts,
		}
		if a.wave != nil {
			args.Wave = a.wave.Ready
		}
		if a.ca != nil {
			args.Signer, args.Signing = a.ca.Signer, []pulumi.Resource{a.ca.Ready}
			if cfg.HTTP01() {
				// With HTTP-01, the CA validates names by requests to the address of Traefik's load
				// balancer.
				args.Signing = append(args.Signing, a.traefik.Address)
			}
		}
		var err error
		if a.workloads[one.Name], err = components.NewWorkload(ctx, "workload-"+one.Name,
			args); err != nil {
			return fmt.Errorf("apps: %w", err)
		}
	}
	return nil
}

// ways returns a description of each configured ingress controller, by the controller's name.
func (a *above) ways(cfg *config.Config) map[string]components.WorkloadIngress {
	ways := map[string]components.WorkloadIngress{}
	if a.traefik != nil {
		// A route waits for the Gateway, whose controller sets the status that Pulumi awaits.
		ways[config.ControllerTraefik] = components.TraefikIngress(a.traefik, cfg.Ingress.Domain,
			a.ca.CASecret)
	}
	if a.apisix != nil {
		ways[config.ControllerAPISIX] = components.APISIXIngress(a.apisix, cfg.Ingress.Domain,
			a.ca.CASecret)
	}
	return ways
}
