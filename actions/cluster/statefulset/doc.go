// Package statefulset deletes a StatefulSet's broken Pods of an earlier revision, so that Pods of
// the newest revision replace them. Kubernetes does so for a Deployment. For a StatefulSet it waits
// for ever until such a Pod is Ready (its documentation: StatefulSet, forced rollback). After an
// upgrade to an image that does not exist, no good version would be rolled out either.
package statefulset
