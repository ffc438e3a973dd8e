// Package waitfor owns the text of the pulumi.com/waitFor annotation, by which the Kubernetes
// provider waits for a field or condition of an object that it has created or updated.
//
// The provider parses the text only after it has created the object: a mistake leaves the object in
// the cluster and not in the state, and some mistakes parse and are true at once (facts of
// pulumi-kubernetes: provider/pkg/metadata/overrides.go, provider/pkg/jsonpath). So the text is
// only ever built here, and an expression that a provider of 4.32 would misread is refused while
// the program starts. The components choose the conditions to wait for.
//
// Guarantees: an Expression that exists is read by the provider as it was meant. It sees one
// object's own fields only, and the annotation waits on create and update, never in a preview or
// refresh.
package waitfor
