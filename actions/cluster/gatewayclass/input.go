package gatewayclass

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Input is read from stdin by `strata class release`. It lies in states, so its keys stay as they
// are.
type Input struct {
	// Class is the GatewayClass's name, Finalizer its controller's.
	Class     string `json:"class"`
	Finalizer string `json:"finalizer"`
	// Timeout bounds the release.
	Timeout metav1.Duration `json:"timeout"`
}
