// Package crds joins the files of an upstream CRD set into one YAML file. It does not change
// objects, and rejects objects that do not belong to CRDs.
package crds
