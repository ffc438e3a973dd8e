// Package reissue makes cert-manager issue certificates again after their issuer got another CA, or
// another ACME server. cert-manager does so by itself if a certificate names another issuer or has
// another specification, but not if its issuer changes (pkg/controller/certificates/policies). The
// certificates of a staging server, or of a replaced CA, would stay until their renewal. Package
// cli calls it on behalf of a resource, once the new CA signs, or the new server has accepted the
// account.
package reissue
