// Package fakeapi owns a scripted Kubernetes API for the gates' tests: objects that a test sets,
// served as JSON over TLS by one or more API servers that can each be stopped, hung, made to reject
// credentials or to fail /readyz, and whose admission is a function of the test.
//
// It owns no Kubernetes logic: nothing is defaulted, validated, reconciled or collected. It is for
// what a real API server cannot be told to do at a given millisecond; that the gates work against a
// real one is for the end-to-end tests.
package fakeapi
