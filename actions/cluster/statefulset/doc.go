// Package statefulset replaces a StatefulSet's broken Pod of an earlier revision by one of the
// next, as Kubernetes does for a Deployment. Kubernetes waits until that Pod is Ready, for ever
// (its documentation: StatefulSet, forced rollback), so that after an upgrade to an image that does
// not exist no good version would be rolled out either.
package statefulset
