package claim

import "strata/health"

// Kind gates a PersistentVolumeClaim: it must be bound to a volume.
const Kind health.Kind = "claim"

// Spec names a PersistentVolumeClaim.
type Spec struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// ClassKey is the configuration key that sets the claim's StorageClass, for messages.
	ClassKey string `json:"classKey"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	need(s.Namespace != "" && s.Name != "" && s.ClassKey != "",
		"claim: namespace, name or classKey is empty")
}
