package webhook

import (
	"slices"
	"strings"

	"strata/health"
)

// Kind gates an admission webhook: every API server gets its answers, and every host reaches it.
const Kind health.Kind = "webhook"

// Spec names an admission webhook and a request that it must answer.
type Spec struct {
	// Configuration is the ValidatingWebhookConfiguration's (or, with Mutating,
	// MutatingWebhookConfiguration's) name.
	Configuration string `json:"configuration"`
	Mutating      bool   `json:"mutating,omitempty"`
	// Namespace and Service name the Service that the API server calls; Port is its port.
	Namespace string `json:"namespace"`
	Service   string `json:"service"`
	Port      int    `json:"port"`
	// CASecret is the Secret in Namespace whose ca.crt each caBundle must equal. Empty: caBundle
	// only must not be empty.
	CASecret string `json:"caSecret,omitempty"`
	// Accept is an object that the webhook must accept, and Deny (optional) one that it must
	// refuse. Both are created in server-side dry runs and never stored. DenyMatch is a text in the
	// refusal that only this webhook writes.
	Accept    map[string]any `json:"accept"`
	Deny      map[string]any `json:"deny,omitempty"`
	DenyMatch string         `json:"denyMatch,omitempty"`
	// Mutates is the name of a MutatingWebhookConfiguration. Its caBundle and endpoint are checked
	// like those of Configuration. Optional.
	Mutates string `json:"mutates,omitempty"`
	// AcceptFills are dotted paths, such as spec.username, that must have a value in the answer to
	// the dry run of Accept. A path may require a value, as in spec.nodeName=a. Without these
	// paths, an API server that does not call the mutating webhook would pass. Give Accept a
	// generateName, since an existing object of the same name hides the answer.
	AcceptFills []string `json:"acceptFills,omitempty"`
	// Consecutive is the number of passes in a row that each API server must give. Zero means 2, or
	// 10 without Deny.
	Consecutive int `json:"consecutive,omitempty"`
	// Workloads are namespace/kind/name of the webhook's workloads; their Pods explain a failure.
	Workloads []string `json:"workloads,omitempty"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind, Workloads: true} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	for i, entry := range s.AcceptFills {
		path, _, _ := strings.Cut(entry, "=")
		need(path != "" && !slices.Contains(strings.Split(path, "."), ""),
			"webhook.acceptFills[%d]: expected a dotted path such as spec.uid, found %q", i, path)
	}
}
