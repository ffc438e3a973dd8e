// Package fakeapi is a scripted Kubernetes API for the tests of gates. One or more API servers
// serve a test's objects as JSON over TLS. A test can stop or hang each server, or make it reject
// credentials or fail /readyz. Admission is a function of the test.
//
// It has no Kubernetes logic: it does not set defaults, validate, reconcile or delete anything. It
// is for states that a real API server cannot be brought into at an exact time. The end-to-end
// tests check that the gates work with a real one.
package fakeapi
