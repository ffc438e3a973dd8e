// Package podcheck finds Pods that lose requests when they are replaced, and Pods that start
// without their certificate. It reads manifests and sends no request. It makes patches that fix
// most findings.
//
// It sees only these manifests. A manifest does not show whether an application finishes its
// requests on SIGTERM.
package podcheck
