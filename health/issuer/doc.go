// Package issuer gates a cert-manager Issuer or ClusterIssuer. The issuer must be Ready at its
// newest generation and, if the Spec asks for it, sign with the CA that the stack has recorded. The
// package also has the causes of failed issuance, which kind certificate uses as well.
package issuer
