// Package fakeapi is a scripted Kubernetes API for the gates' tests. It serves a test's objects as
// JSON over TLS by one or more API servers. A test can stop or hang each server, or make it reject
// credentials or fail /readyz. Admission is a function of the test.
//
// It has no Kubernetes logic: it neither defaults, validates, reconciles nor collects anything. It
// is for states that a real API server cannot enter at a given millisecond. The end-to-end tests
// check that the gates work against a real one.
package fakeapi
