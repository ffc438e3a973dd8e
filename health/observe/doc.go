// Package observe is how a watch waits: it observes at once, after every signal and after a pause, hands on what changed, and remembers for how
// long something has been the same. It knows neither Kubernetes nor SSH.
package observe
