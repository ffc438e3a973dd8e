package healthtest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
)

// Valid returns a Spec with one API server. The Spec is valid if its body is valid.
func Valid(body health.Body) health.Spec {
	return health.Spec{
		Gate: "g", Timeout: metav1.Duration{Duration: time.Minute},
		Servers: []string{"https://127.0.0.1:6443"},
		Body:    body,
	}
}

// Missing returns the body of type B that a Spec gets if its JSON has none.
func Missing[B health.Body](t *testing.T) health.Body {
	t.Helper()
	body, err := health.ReadBody[B](nil)
	require.NoError(t, err)
	return body
}

// Change changes the Spec's body, which is of type B. Copies of the Spec keep their bodies.
func Change[B health.Body](spec *health.Spec, change func(*B)) {
	body := spec.Body.(B)
	change(&body)
	spec.Body = body
}
