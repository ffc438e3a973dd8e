package config

// Upgrade configures how a changed K3s reaches the nodes of a running cluster: servers one by one,
// then agents.
type Upgrade struct {
	// Concurrency limits the agents that are upgraded at the same time. Default 1.
	Concurrency int `json:"concurrency,omitempty"`
}
