package preflight

import (
	"fmt"
	"strings"

	"strata/health"
	"strata/health/api"
	"strata/health/nodes"
)

// judgeExisting returns a verdict for each requirement of the platform's layers on the cluster.
func judgeExisting(cluster ExistingCluster, facts existingFacts) []health.Verdict {
	api := api.JudgeAPIServer(facts.API)
	api.Check = "api"
	nodes := nodes.JudgeRegistered(facts.Nodes)
	verdicts := append([]health.Verdict{api}, nodes...)
	for i := range nodes {
		verdicts[i+1].After = append(verdicts[i+1].After, api.Check)
	}
	for _, v := range []health.Verdict{judgePermissions(facts), judgeServiceLB(cluster, facts),
		judgeOwnTraefik(cluster, facts)} {
		if facts.Fault != nil {
			v = facts.Fault.Verdict(v.Check, false)
		}
		v.After = []string{api.Check}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

func judgePermissions(facts existingFacts) health.Verdict {
	v := health.Verdict{Check: "permissions", State: health.Ready}
	if !facts.Allowed {
		v.State = health.Stuck
		v.Message = "the context's user may not do everything, and the layers bring definitions, webhooks and roles"
		v.Hint =
			"use a context whose user is bound to ClusterRole cluster-admin: kubectl auth can-i " +
				"'*' '*' --all-namespaces"
	}
	return v
}

func judgeServiceLB(cluster ExistingCluster, facts existingFacts) health.Verdict {
	v := health.Verdict{Check: "no other load balancer", State: health.Ready}
	switch {
	case !cluster.MetalLB:
		v.State, v.Message = health.Skipped, "metallb.enabled is false"
	case len(facts.ServiceLB) > 0:
		v.State, v.Message = health.Stuck,
			fmt.Sprintf("K3s's servicelb serves %s, and it and MetalLB would both write a Service's status",
				strings.Join(facts.ServiceLB, ", "))
		v.Hint =
			"create the cluster without it: k3d cluster create --k3s-arg " +
				"'--disable=traefik,servicelb@server:*'; or set metallb.enabled: false"
	}
	return v
}

func judgeOwnTraefik(cluster ExistingCluster, facts existingFacts) health.Verdict {
	v := health.Verdict{Check: "no other Traefik", State: health.Ready}
	switch {
	case !cluster.Traefik:
		v.State, v.Message = health.Skipped, "ingress.controllers has no traefik"
	case facts.Traefik:
		v.State = health.Stuck
		v.Message = "K3s's own Traefik is there, which owns the same CRDs and IngressClass"
		v.Hint =
			"create the cluster without it: k3d cluster create --k3s-arg " +
				"'--disable=traefik,servicelb@server:*'; or leave traefik out of ingress.controllers"
	}
	return v
}
