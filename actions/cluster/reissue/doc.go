// Package reissue has certificates issued anew after their issuer got another CA, or was pointed at
// another ACME server. cert-manager does so for another issuer and for another specification, but
// not for a changed issuer (pkg/controller/certificates/policies). The certificates of a staging
// server, or of a CA that was replaced, would stay until their renewal. Package cli calls it on
// behalf of a resource, once the new CA signs, or the new server has taken the account.
package reissue
