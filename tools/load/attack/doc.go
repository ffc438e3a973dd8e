// Package attack sends POSTs at a constant rate and counts those without a 2xx answer. It uses
// POST, because proxies and clients repeat other requests by themselves when a connection breaks,
// which hides the loss. The rate is constant, because a sender that waits for answers sends less
// just when answers are late. Package vegeta sends the requests; this package counts them, by phase
// and by status.
package attack
