// Package observe repeats a watch's observation at once, after every signal and after a pause,
// hands on the changes, and remembers for how long something has been the same. It knows neither
// Kubernetes nor SSH.
package observe
