// Package canary moves a part of a workload's requests to its new version, step by step, and back.
//
// While it runs, it owns the weights of the HTTPRoutes. It leaves them as it found them, with all
// requests at the old version. So an interrupted run leaves nothing to continue: the next run
// begins anew, and the rollout comes only after a run that passed.
package canary

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/files/digest"
)

// HoldAtMost limits a step to this many times its hold, while there are fewer answers than
// MinAnswers.
const HoldAtMost = 4

// Spec is the input of Try.
type Spec struct {
	// Namespace is the namespace of all objects that the Spec names.
	Namespace string `json:"namespace"`
	// Routes are the HTTPRoutes whose weights change. Stable and Canary each name a Deployment and
	// the Service of the same name.
	Routes []string `json:"routes"`
	Stable string   `json:"stable"`
	Canary string   `json:"canary"`
	// Path is requested from the Canary's Service every second.
	Path string `json:"path"`
	// Steps, Hold, MaxFailing and MinAnswers have the meaning of those in config.Canary.
	Steps      []int           `json:"steps"`
	Hold       metav1.Duration `json:"hold"`
	MaxFailing int             `json:"maxFailing"`
	MinAnswers int             `json:"minAnswers"`
	// Metrics count the answers. If there are none, only the probe observes the version.
	Metrics []Metrics `json:"metrics,omitempty"`
	// Timeout bounds the whole run. A changed Revision makes it run again.
	Timeout  metav1.Duration `json:"timeout"`
	Revision string          `json:"revision,omitempty"`
}

// Metrics describes the metrics of an ingress controller's Pods, in Prometheus' format.
type Metrics struct {
	Namespace string `json:"namespace"`
	// Selector is the Pods' label selector. Port and Path locate their metrics.
	Selector string `json:"selector"`
	Port     int    `json:"port"`
	Path     string `json:"path"`
	// Counter is the metric that counts answers by label code. Label is its label that names the
	// answer's origin: a Service or a Pod.
	Counter string `json:"counter"`
	Label   string `json:"label"`
	// ByPod is true if the label is a Pod's address, and false if it is the name that Traefik gives
	// to a Service.
	ByPod bool `json:"byPod,omitempty"`
	// Age bounds the age of the metrics' values.
	Age metav1.Duration `json:"age,omitzero"`
}

// Age returns the greatest age of any metric's values: a step takes this much longer.
func (s Spec) Age() time.Duration {
	var oldest time.Duration
	for _, metrics := range s.Metrics {
		oldest = max(oldest, metrics.Age.Duration)
	}
	return oldest
}

// Validate returns an error for missing or wrong fields.
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

// Attempt returns a digest of the input and of word, which marks one attempt. A user's login is no
// part of it, so another user's login does not repeat a passed canary.
func (s Spec) Attempt(word string) (string, error) {
	text, err := json.Marshal(s)
	return digest.Short(append(text, word...)), err
}
