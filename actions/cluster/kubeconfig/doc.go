// Package kubeconfig turns a user's kubeconfig, with many contexts and paths of files, into one
// with a single context that needs no other file. Only Recognise connects to a cluster. The
// program, preflight and the gates for users call the package.
package kubeconfig
