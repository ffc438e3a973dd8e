package config

import (
	"path"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// WorkloadCertificate is a certificate that Pods mount.
type WorkloadCertificate struct {
	// DNSNames are the names in the certificate. Default: the Service's names inside the cluster.
	DNSNames []string `json:"dnsNames,omitempty"`
	// Mount is the folder with tls.crt, tls.key and ca.crt. Default /etc/tls.
	Mount string `json:"mount,omitempty"`
	// Wait bounds how long a new Pod waits for a valid key and certificate. Default 5m.
	Wait metav1.Duration `json:"wait,omitzero"`
	// Lifetime is the certificate's lifetime. Default: 90 days; an ACME server sets its own.
	Lifetime metav1.Duration `json:"lifetime,omitzero"`
}

func (w workloadCheck) certificate() {
	c := w.w.Certificate
	if c == nil {
		return
	}
	w.addIf(!*w.c.CertManager.Enabled, w.key("certificate"), "",
		"needs a CA, and certManager.enabled is false",
		"enable cert-manager, or remove the certificate")
	w.addIf(!path.IsAbs(c.Mount) || path.Clean(c.Mount) != c.Mount || c.Mount == "/",
		w.key("certificate.mount"), c.Mount, "is not an absolute path of a folder",
		"write for example /etc/tls")
	for i, name := range c.DNSNames {
		if bare := strings.TrimPrefix(name, "*."); len(validation.IsDNS1123Subdomain(bare)) > 0 {
			w.add(w.key("certificate.dnsNames[%d]", i), name, "is not a DNS name",
				"write for example shop.example.org")
		}
	}
	if d := c.Wait.Duration; d < time.Second || d > time.Hour || d%time.Second != 0 {
		w.add(w.key("certificate.wait"), d.String(),
			"is not a number of whole seconds from 1s to 1h", "write for example 5m")
	}
	// cert-manager accepts no shorter lifetime (pkg/apis/certmanager/v1
	// MinimumCertificateDuration).
	if d := c.Lifetime.Duration; d != 0 && d < time.Hour {
		w.add(w.key("certificate.lifetime"), d.String(), "is less than an hour",
			"use 1h or more, or leave the key out")
	}
	w.certificateByACME()
}

// certificateByACME checks an ACME server's requirements for a certificate. The server must be able
// to reach the names from outside, and it sets the lifetime itself.
func (w workloadCheck) certificateByACME() {
	if w.c.CertManager.Issuer != IssuerACME {
		return
	}
	for i, name := range w.w.Certificate.DNSNames {
		inside := strings.HasSuffix(name, ".svc") || strings.HasSuffix(name, ".svc.cluster.local")
		switch {
		case inside && slices.Equal(w.w.Certificate.DNSNames, w.w.insideNames()):
			w.add(w.key("certificate.dnsNames"), "", "is empty, and no ACME server signs for the Service's names inside the cluster",
				"write names below a domain of yours, for example "+w.w.Name+"."+w.c.Ingress.Domain)
			return
		case inside:
			w.add(w.key("certificate.dnsNames[%d]", i), name,
				"is a name inside the cluster, which no ACME server signs for", "remove it")
		case w.c.HTTP01() && strings.HasPrefix(name, "*."):
			w.add(w.key("certificate.dnsNames[%d]", i), name,
				"is a wildcard, which certManager.acme.solver http01 does not get",
				"write each name, or use solver dns01")
		}
	}
	w.addIf(w.w.Certificate.Lifetime.Duration != 0, w.key("certificate.lifetime"),
		w.w.Certificate.Lifetime.Duration.String(), "is for the ACME server to say",
		"leave the key out")
}
