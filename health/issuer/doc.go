// Package issuer gates a cert-manager Issuer or ClusterIssuer: Ready at its newest generation. It has the causes of failed issuance, which
// kind certificate tells as well.
package issuer
