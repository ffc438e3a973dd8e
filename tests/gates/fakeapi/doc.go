// Package fakeapi is a scripted Kubernetes API for the tests of gates. One or more API servers
// serve a test's objects as JSON over TLS. A test can stop or hang each server, or make it reject
// credentials or fail /readyz. Admission is a function of the test.
//
// The package has no Kubernetes logic: it does not set defaults, validate, reconcile or delete
// anything. It shows states that a real API server has only for a short time. The end-to-end tests
// run the gates with real API servers.
package fakeapi
