// Package statefulset does for a StatefulSet what Kubernetes does for a Deployment: it takes a
// broken Pod of an earlier revision out of the way of the next one. Kubernetes waits until that Pod
// is Ready, for ever (its documentation: StatefulSet, forced rollback), so that after an upgrade to
// an image that does not exist no good version would be rolled out either.
package statefulset
