// Package observe repeats an observation, after every signal and after a pause, and reports changed
// verdicts. It also remembers for how long a fact has been the same. It uses neither Kubernetes nor
// SSH.
package observe
