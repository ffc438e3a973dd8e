// Package observe is how a watch waits: it looks at once, after every signal and after a pause, hands on what changed, and remembers for how
// long something has looked the same. It knows neither Kubernetes nor SSH.
package observe
