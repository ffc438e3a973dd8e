// Package endpoint stands in for the errors of CyberArk's (once Venafi's) library, which issues
// nothing in the lab. Nothing returns one.
package endpoint

// ErrCertificatePending says that a certificate is not there yet.
type ErrCertificatePending struct{ error }

// ErrRetrieveCertificateTimeout says that a certificate did not come in time.
type ErrRetrieveCertificateTimeout struct{ error }
