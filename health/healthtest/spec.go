package healthtest

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
)

// Valid completes a Spec that asks an API server.
func Valid(spec health.Spec) health.Spec {
	spec.Gate, spec.Timeout, spec.Servers = "g", metav1.Duration{Duration: time.Minute}, []string{"https://127.0.0.1:6443"}
	return spec
}
