// Package canary routes a growing part of a workload's requests to its new version, and then back
// to the old one.
//
// During a run, the package sets the weights of the HTTPRoutes. At the end of every run, also of a
// failed one, the old version gets all requests. So the next run starts from the beginning after an
// interruption, and the rollout follows only a run that passed.
package canary

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/files/digest"
)

// HoldAtMost limits the duration of a step with fewer answers than MinAnswers to this multiple of
// Hold plus Age.
const HoldAtMost = 4

// Spec is the input of Try.
type Spec struct {
	// Namespace is the namespace of all objects in the Spec.
	Namespace string `json:"namespace"`
	// Routes lists the HTTPRoutes whose weights change. Stable and Canary each name a Deployment
	// and the Service of the same name.
	Routes []string `json:"routes"`
	Stable string   `json:"stable"`
	Canary string   `json:"canary"`
	// Path is the URL path that is requested from the Canary's Service every second.
	Path string `json:"path"`
	// Steps, Hold, MaxFailing and MinAnswers have the values of the same fields of config.Canary.
	Steps      []int           `json:"steps"`
	Hold       metav1.Duration `json:"hold"`
	MaxFailing int             `json:"maxFailing"`
	MinAnswers int             `json:"minAnswers"`
	// Metrics lists the metrics that count the answers. If empty, only the probe of Path checks the
	// version.
	Metrics []Metrics `json:"metrics,omitempty"`
	// Timeout bounds the whole run. A change of Revision starts a new canary; Revision has no other
	// effect.
	Timeout  metav1.Duration `json:"timeout"`
	Revision string          `json:"revision,omitempty"`
}

// Metrics describes the metrics of an ingress controller's Pods, in Prometheus' format.
type Metrics struct {
	Namespace string `json:"namespace"`
	// Selector is the label selector of the Pods. Port and Path are those of their metrics
	// endpoint.
	Selector string `json:"selector"`
	Port     int    `json:"port"`
	Path     string `json:"path"`
	// Counter is the metric that counts answers by the label code. Label is its label for the
	// origin of the answer: a Service or a Pod.
	Counter string `json:"counter"`
	Label   string `json:"label"`
	// ByPod is true if Label holds a Pod's address, and false if it holds Traefik's name for a
	// Service.
	ByPod bool `json:"byPod,omitempty"`
	// Age is the largest delay with which a value of the metrics is updated.
	Age metav1.Duration `json:"age,omitzero"`
}

// Age returns the largest Age of the Spec's metrics. Each step takes this much longer than Hold.
func (s Spec) Age() time.Duration {
	var oldest time.Duration
	for _, metrics := range s.Metrics {
		oldest = max(oldest, metrics.Age.Duration)
	}
	return oldest
}

// Validate returns an error if a field is missing or invalid.
func (s Spec) Validate() error {
	if s.Namespace == "" || s.Stable == "" || s.Canary == "" || len(s.Routes) == 0 ||
		len(s.Steps) == 0 {
		return errors.New("canary: namespace, stable, canary, routes or steps is empty")
	}
	for _, step := range s.Steps {
		if step < 1 || step > 99 {
			return fmt.Errorf("canary: steps: expected 1 to 99 percent, found %d", step)
		}
	}
	return nil
}

// Attempt returns a digest of the Spec and of word, which identifies one attempt. The user's login
// is not in it, so that another login does not repeat a canary that passed.
func (s Spec) Attempt(word string) (string, error) {
	text, err := json.Marshal(s)
	return digest.Short(append(text, word...)), err
}
