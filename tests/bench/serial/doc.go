// Command serial is the first platform's script, redeploy.sh, written anew from what its plan says
// of it (seed 000): one step after the other, with the plan's eleven waits in the plan's order.
// tests/e2e measures Strata against it (`make bench-serial`).
//
// Both sides start from a cluster whose API answers, with the images on its node and a load balancer that gives addresses: what kind
// was to the script. Both end with the same objects, because this program reads them, charts and values included, from the state
// of the stack that it is compared with (`pulumi stack export --show-secrets`, on stdin), and refuses to leave one out. With
// --validate both end with the same probes, asked by the same `strata gate`.
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
// Where the plan leaves room, this takes what is faster for the script: Helm does not wait (its own
// wait looks every two seconds), and kubectl watches; what a step applies is one `kubectl apply`;
// nothing is downloaded. The original died where the GatewayProxy is refused, because the webhook
// of a controller that is Ready does not listen yet, and a person started it again. Here the apply
// is repeated four times a second until it is let in, which is faster than a person at a keyboard.
//
// It has one difference to the original besides: GatewayProxy and IngressClass are not the chart's
// but objects behind it, as the values say which both sides share, and the definitions are a file
// and not a chart's folder, as the lab has them.
package main
