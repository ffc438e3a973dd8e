package supervisor

import (
	"crypto/subtle"
	"crypto/x509"
	"errors"
	"net/http"
	"slices"
)

// K3s's roles (k3s-io/k3s pkg/server/router.go).
const (
	roleServer = "k3s:server"
	roleAgent  = "k3s:agent"
	roleNode   = "system:nodes"
	roleMaster = "system:masters"
)

// identity is the authenticated sender of a request.
type identity struct {
	name   string
	groups []string
}

func (i identity) hasAny(roles []string) bool {
	return slices.ContainsFunc(roles, func(r string) bool { return slices.Contains(i.groups, r) })
}

// authenticate checks a join password (basic authentication) or a client certificate. A request
// without credentials is no error. It has no role, so it is answered with 403, as by K3s.
func (s *Server) authenticate(r *http.Request) (identity, error) {
	if user, password, ok := r.BasicAuth(); ok {
		return s.checkPassword(user, password)
	}
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		return s.checkCertificate(r.TLS.PeerCertificates[0])
	}
	return identity{}, nil
}

func (s *Server) checkPassword(user, password string) (identity, error) {
	want, known := s.Passwords[user]
	if !known || subtle.ConstantTimeCompare([]byte(want), []byte(password)) != 1 {
		return identity{}, errors.New("invalid username/password combination")
	}
	if user == "server" {
		return identity{user, []string{roleServer}}, nil
	}
	return identity{user, []string{roleAgent}}, nil
}

func (s *Server) checkCertificate(cert *x509.Certificate) (identity, error) {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(s.PKI.ClientCA.CertPEM)
	opts := x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if _, err := cert.Verify(opts); err != nil {
		return identity{}, err
	}
	return identity{cert.Subject.CommonName, cert.Subject.Organization}, nil
}
