package issuer

import (
	"crypto/x509"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// The resources of cert-manager.io that gates read.
var (
	issuerResource = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1",
		Resource: "issuers"}
	clusterIssuerResource = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1",
		Resource: "clusterissuers"}
)

type issuerWatch struct {
	spec   Spec
	stable *observe.Stable
	// recorded is the CA that the issuer must sign with; nil if the Spec requires none.
	recorded *x509.Certificate
	// reader is true for a read-only user: the Secret is not read.
	reader bool
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	w := &issuerWatch{spec: s, stable: observe.NewStable(time.Now), reader: secrets.Reader}
	sources := []kube.Source{{Resource: resourceOf(s), Namespace: s.Namespace, Name: s.Name}}
	if s.CA != nil {
		var err error
		if w.recorded, err = certificateIn([]byte(s.CA.Certificate)); err != nil {
			return nil, fmt.Errorf("issuer.ca.certificate: %w", err)
		}
		if !w.reader {
			namespace, name, _ := strings.Cut(s.CA.Secret, "/")
			sources = append(sources, kube.Source{Resource: kube.SecretResource,
				Namespace: namespace, Name: name})
		}
	}
	return kube.NewWatch(spec, secrets, kube.Watch[issuerFacts]{
		Stable:  w.stable,
		Sources: sources,
		Read:    w.read,
		Judge:   func(facts issuerFacts) []health.Verdict { return judgeIssuer(s, facts) },
	})
}
