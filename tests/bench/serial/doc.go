// Command serial is the first platform's script, redeploy.sh, rewritten from its plan's description
// (seed 000). It runs one step after the other, with the plan's eleven waits in the plan's order.
// tests/e2e measures Strata against it (`make bench-serial`).
//
// Both sides start from a cluster whose API answers, with the images on its node and a load
// balancer that assigns addresses, as kind was for the script. Both end with the same objects. This
// program reads them, with charts and values, from the state of the compared stack (`pulumi stack
// export --show-secrets`, on stdin), and refuses to leave one out. With --validate both end with
// the same probes, run by the same `strata gate`.
//
// The waits, with the lines of redeploy.sh that the plan gives for them:
//
//  1. control-plane nodes (388-389)
//  2. cert-manager's definitions, once it is installed (241-242)
//  3. cert-manager's Deployments (202-214)
//  4. APISIX's installation (406-410)
//  5. the data plane's rollout (412-416)
//  6. the ingress controller's rollout (418-422)
//  7. the TLS Certificate (269-273)
//  8. its Secret (275)
//  9. httpbin's Deployment (462-464)
//  10. the optional Deployments, Keycloak (481-482) and go-rest (521-522)
//  11. the Gateway's conditions (540-542)
//
// If the plan leaves a choice, this program takes the faster one for the script. Helm does not wait
// (its own wait polls every two seconds), and kubectl watches. A step applies its objects with one
// `kubectl apply`, and downloads nothing. The original failed when the GatewayProxy was refused,
// because the webhook of a Ready controller did not listen yet, and a person started it again. Here
// the apply is repeated four times a second until it succeeds, which is faster than a person.
//
// It has two other differences from the original. GatewayProxy and IngressClass are not the chart's
// but objects after it, following the values that both sides share. The definitions are a file and
// not a chart's folder, as the lab has them.
package main
