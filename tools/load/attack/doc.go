// Package attack sends POSTs at a constant rate and counts what is not answered. POST, because
// proxies and clients send other requests again by themselves when a connection breaks, which hides
// the loss; at a constant rate, because a sender that waits for answers sends less just when
// answers are late. It sends by vegeta and owns the counting: by phase and by status.
package attack
