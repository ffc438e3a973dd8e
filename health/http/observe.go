package http

import (
	"context"
	"crypto/x509"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"strata/health/address"
	"strata/health/kube"
)

// read reads the Service and the CA.
func (w *httpWatch) read(ctx context.Context, s *kube.APIServer) (facts httpFacts, err error) {
	if facts.Service, err = address.ObserveService(ctx, s, httpAddress(w.spec)); err != nil {
		return facts, err
	}
	if w.spec.CASecret != "" {
		namespace, name, _ := strings.Cut(w.spec.CASecret, "/")
		secret, err := kube.Get[corev1.Secret](ctx, s, kube.SecretResource, namespace, name)
		if err != nil {
			return facts, err
		}
		if secret != nil {
			facts.ca = caIn(secret.Data)
		}
	}
	facts.Service.Seconds = w.stable.Seconds("refusal", facts.Service.Refusal)
	return facts, nil
}

// caIn returns the CA in a Secret as PEM: ca.crt or, if that is missing, tls.crt, because the
// Secret of a self-signed CA may have only tls.crt.
func caIn(data map[string][]byte) []byte {
	if ca := data["ca.crt"]; len(ca) > 0 {
		return ca
	}
	return data["tls.crt"]
}

// rootsOf parses the CAs of a Secret. If there are none, why says so.
func rootsOf(ca []byte, secret string) (roots *x509.CertPool, why string) {
	roots = x509.NewCertPool()
	switch {
	case len(ca) == 0:
		return roots, "Secret " + secret + " has no ca.crt and no tls.crt yet"
	case !roots.AppendCertsFromPEM(ca):
		return roots, "Secret " + secret + " holds no certificate"
	}
	return roots, ""
}
