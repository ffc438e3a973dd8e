// Package statefulset deletes a StatefulSet's broken Pods of an earlier revision, so that Pods of
// the newest revision replace them. Kubernetes itself does so only for a Deployment. For a
// StatefulSet it waits for ever until such a Pod is Ready (StatefulSet documentation, "Forced
// rollback"). So after an upgrade to a missing image, even a good version would not be rolled out.
package statefulset
