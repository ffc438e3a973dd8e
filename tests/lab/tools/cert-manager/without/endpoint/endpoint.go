// Package endpoint is a stub of the errors of CyberArk's (formerly Venafi's) library, which the lab
// does not use. No function returns them.
package endpoint

// ErrCertificatePending reports that a certificate is not issued yet.
type ErrCertificatePending struct{ error }

// ErrRetrieveCertificateTimeout reports that a certificate was not issued in time.
type ErrRetrieveCertificateTimeout struct{ error }
