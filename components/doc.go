// Package components owns the layers of the platform, one ComponentResource per file:
//
//	Hosts ──▶ K3s ──┬──▶ MetalLB ───────────────────────┬──▶ Traefik ──┐
//	                ├──▶ CRDs ──────────────────────────┘      ▲       │
//	                ├──▶ CertManager ──▶ CA ─────────▶ Certificate     │
//	                ├──▶ ArgoCD ──────────────────────▶ its route ◀────┤
//	                └──▶ Workload ────────────────────▶ its routes ◀───┘
//
// ExistingCluster can take the place of Hosts and K3s (docs/adr/0016).
//
// Rules, with the number of the ADR that has the reason:
//
//   - A component is registered without DependsOn. Its first children wait for its gates by WaitFor
//     (0001). Only WaitFor writes DependsOn, and the linter forbids it elsewhere.
//   - A component exports a gate for each condition that other components wait for.
//   - A change of a host is a command that runs this program, which logs in to the host and has a
//     timeout (0045). A change of the cluster is a kubernetes:* resource, except for bundles of
//     CRDs (0007). A read-only check is a gate.
//   - Pure functions build content (config.yaml, Helm values, scripts); constructors register
//     resources and their dependencies.
//   - Children are named name-role. Type tokens are strata:<layer>/v2:<Kind>. Secrets are marked as
//     secret when they are created.
//
// Package health has the checks of gates, and package config the configuration.
package components
