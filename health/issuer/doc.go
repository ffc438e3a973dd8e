// Package issuer gates a cert-manager Issuer or ClusterIssuer: Ready at its newest generation, and
// with the CA that the stack has recorded where that is asked for. It has the causes of failed
// issuance, which kind certificate tells as well.
package issuer
