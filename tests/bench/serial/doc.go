// Command serial is a serial deployment script, redeploy.sh, rewritten from its description. It
// runs one step after the other, with the script's eleven waits in their order. tests/e2e measures
// Strata against it (`make bench-serial`).
//
// Strata and this program start from a cluster whose API answers. Its node has the images, and a
// load balancer assigns addresses, as in the kind cluster of redeploy.sh. Both end with the same
// objects. This program reads the objects, charts and values from the state of the compared stack
// (`pulumi stack export --show-secrets`, on stdin). It fails if no step installs one of the
// objects. With --validate, both end with the same probes, run by `strata gate`.
//
// The waits, with their lines in redeploy.sh:
//
//  1. control-plane nodes (388-389)
//  2. cert-manager's CRDs, once it is installed (241-242)
//  3. cert-manager's Deployments (202-214)
//  4. APISIX's installation (406-410)
//  5. the data plane's rollout (412-416)
//  6. the ingress controller's rollout (418-422)
//  7. the TLS Certificate (269-273)
//  8. its Secret (275)
//  9. httpbin's Deployment (462-464)
//
// 10. the optional Deployments, Keycloak (481-482) and go-rest (521-522)
// 11. the Gateway's conditions (540-542)
//
// If the description leaves a choice, this program takes the faster one. Helm does not wait (its
// own wait polls every two seconds), and kubectl watches. A step applies its objects with one
// `kubectl apply`, and downloads nothing. The original failed when the GatewayProxy was refused,
// because the webhook of a Ready controller did not listen yet, and its user started the script
// again. Here the apply is repeated four times a second until it succeeds.
//
// There are two other differences from the original. GatewayProxy and IngressClass are applied
// after the chart and are not part of it, as in Strata's stack. The CRDs are applied from files,
// not from a chart's folder, as in the lab.
package main
