// Package components owns the layers of the platform, one ComponentResource per file:
//
//	Hosts ──▶ K3s ──┬──▶ MetalLB ───────────────────────┬──▶ Traefik ──┐
//	                ├──▶ CRDs ──────────────────────────┘      ▲       │
//	                ├──▶ CertManager ──▶ CA ─────────▶ Certificate     │
//	                ├──▶ ArgoCD ──────────────────────▶ its route ◀────┤
//	                └──▶ Workload ────────────────────▶ its routes ◀───┘
//
// ExistingCluster, an existing cluster, may stand in the place of Hosts and K3s (docs/adr/0016).
//
// Rules, each with its reason in docs/adr:
//
//   - A component registers without DependsOn; each of its root children waits for its gates by WaitFor (0001). Only
//     WaitFor writes DependsOn, and the linter forbids it elsewhere.
//   - A component exports one gate for each fact that others need, not one barrier.
//   - A change of a host is a command that runs this program, which knows the way there and is
//     bounded (0045). A change of the cluster is a kubernetes:* resource, but for bundles of CRDs
//     (0007). An observation is a gate.
//   - Pure builders hold content (config.yaml, Helm values, scripts); constructors hold wiring.
//   - Children are named name-role, type tokens strata:<layer>:<Kind>. Secrets are secret from birth.
//
// It does not own readiness (package health) nor configuration (package config).
package components
