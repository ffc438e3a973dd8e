// Package acme has the account of an ACME server.
package acme

// Account is one, which no server here gives.
type Account struct{}

// ExtendedAccount is an account and where it is.
type ExtendedAccount struct {
	Account

	Location string
}
