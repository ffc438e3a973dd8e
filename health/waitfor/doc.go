// Package waitfor builds the pulumi.com/waitFor annotation, by which the Kubernetes provider waits
// for a field or condition of an object that it has created or updated.
//
// The provider parses the annotation only after it has created the object. After a mistake, the
// object exists in the cluster but not in the Pulumi state; some mistakes even parse and are true
// at once (pulumi-kubernetes provider/pkg/metadata/overrides.go, provider/pkg/jsonpath). So only
// this package builds the annotation. At the program's start, it refuses an expression that
// provider 4.32 would misread. The components choose the conditions to wait for.
//
// Guarantees: the provider reads every Expression as intended. An Expression is about the fields of
// its own object only, and the annotation waits on create and update, never in a preview or
// refresh.
package waitfor
