// Package reissue makes cert-manager reissue certificates after their issuer got another CA or
// another ACME server. cert-manager itself reissues a certificate if its specification changes, but
// not if only its issuer changes (pkg/controller/certificates/policies). The certificates of a
// staging server, or of a replaced CA, would stay until their renewal. A command resource runs
// Reissue once the new CA can sign, or the new server has accepted the account.
package reissue
