// Package observe repeats a watch's observation: at once, after every signal, and after a pause. It
// passes on the changes, and remembers how long a subject has been the same. It knows neither
// Kubernetes nor SSH.
package observe
