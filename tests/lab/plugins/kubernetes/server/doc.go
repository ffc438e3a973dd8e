// Package server is the provider protocol of the kubernetes plugin.
//
// It owns configuration, checkpoints (live object, inputs, field manager),
// diffs, secrets, names and what each failure stores. It does not own clients
// (package cluster), waiting (package await) and Helm (package release).
//
// Checkpoints have the official plugin's form, so that a state can move between
// the two.
package server
