package http

import (
	"context"
	"crypto/x509"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"strata/health/address"
	"strata/health/kube"
)

// look reads the Service and the CA.
func (w *httpWatch) look(ctx context.Context) (httpFacts, []byte) {
	var facts httpFacts
	var authority []byte
	fault, seconds := w.cluster.Look(ctx, w.settled, func(ctx context.Context, s *kube.APIServer) (err error) {
		if facts.Service, err = address.LookService(ctx, s, httpAddress(w.spec)); err != nil || w.spec.CASecret == "" {
			return err
		}
		namespace, name, _ := strings.Cut(w.spec.CASecret, "/")
		secret, err := kube.Get[corev1.Secret](ctx, s, kube.SecretResource, namespace, name)
		if secret != nil {
			authority = authorityIn(secret.Data)
		}
		return err
	})
	if fault != nil {
		return httpFacts{Fault: fault, Seconds: seconds}, nil
	}
	facts.Service.Seconds = w.settled.Seconds("refusal", facts.Service.Refusal)
	return facts, authority
}

// authorityIn is a Secret's CA: ca.crt, or else tls.crt, which is the CA itself where it signs itself.
func authorityIn(data map[string][]byte) []byte {
	if authority := data["ca.crt"]; len(authority) > 0 {
		return authority
	}
	return data["tls.crt"]
}

// rootsOf reads the authorities; why says what is wrong with them.
func rootsOf(authority []byte, secret string) (roots *x509.CertPool, why string) {
	roots = x509.NewCertPool()
	switch {
	case len(authority) == 0:
		return roots, "Secret " + secret + " has no ca.crt and no tls.crt yet"
	case !roots.AppendCertsFromPEM(authority):
		return roots, "Secret " + secret + " holds no certificate"
	}
	return roots, ""
}
