// Package kubeconfig reduces a user's kubeconfig, with many contexts and references to files, to
// one context without references. It also adds a stack's context to the user's kubeconfig. Only
// Recognise connects to a cluster. The program, preflight and the users' gates use the package.
package kubeconfig
