// Package issuer gates a cert-manager Issuer or ClusterIssuer: it must be Ready at its newest
// generation and, if the Spec names a CA, sign with that CA. The package also explains failures of
// issuance for kind certificate.
package issuer
