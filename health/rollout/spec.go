package rollout

import "strata/health"

// Kind gates workloads: the newest revision of each serves and no older one is left.
const Kind health.Kind = "rollout"

// Spec names workloads whose newest revision must serve.
type Spec struct {
	// Workloads are namespace/kind/name, of kind Deployment, DaemonSet or StatefulSet.
	Workloads []string `json:"workloads"`
	// Redis names Argo CD's redis clients. Default: no workload uses redis.
	Redis *Redis `json:"redis,omitempty"`
}

// Redis names Pods whose log says whether redis accepts their password.
type Redis struct {
	Namespace string `json:"namespace"`
	// Secret is the name of the Secret that has the password.
	Secret string `json:"secret"`
	// Clients is the label selector of the Pods. Container is the container in them that writes to
	// redis.
	Clients   string `json:"clients"`
	Container string `json:"container"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind, Workloads: true} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	need(len(s.Workloads) > 0, "rollout.workloads: empty; nothing is not a rollout")
	redis := s.Redis
	need(redis == nil || redis.Namespace != "" && redis.Secret != "" && redis.Clients != "" &&
		redis.Container != "",
		"rollout.redis: namespace, secret, clients or container is empty")
}
