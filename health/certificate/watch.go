package certificate

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

var (
	certificateResource = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1",
		Resource: "certificates"}
	requestResource = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1",
		Resource: "certificaterequests"}
)

type certificateWatch struct {
	spec Spec
	now  observe.Clock
	// reader is true for a read-only user: the Secret is not read.
	reader bool
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	w := &certificateWatch{spec: s, now: time.Now, reader: secrets.Reader}
	sources := []kube.Source{
		{Resource: certificateResource, Namespace: s.Namespace, Name: s.Name},
		{Resource: requestResource, Namespace: s.Namespace},
	}
	if !w.reader {
		sources = append(sources, kube.Source{Resource: kube.SecretResource, Namespace: s.Namespace,
			Name: s.Secret})
	}
	return kube.NewWatch(spec, secrets, kube.Watch[certificateFacts]{
		Sources: sources,
		Read:    w.read,
		Judge:   func(facts certificateFacts) []health.Verdict { return judgeCertificate(s, facts) },
	})
}
