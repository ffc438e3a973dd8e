// Package kubeconfig owns the way from a kubeconfig of a person, with many contexts and with paths
// of files, to one of a single context that stands on its own. Only Recognise connects to a
// cluster. The program, preflight and the gates for people call it.
package kubeconfig
