// Package crds joins the files of an upstream CRD bundle into the one YAML file that a bundle
// carries. It changes no object; it only refuses objects that do not belong into a layer of CRDs.
package crds
