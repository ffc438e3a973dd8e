// Package acme is a stub of the types for accounts of an ACME server.
package acme

// Account is an account of an ACME server.
type Account struct{}

// ExtendedAccount is an account and its URL.
type ExtendedAccount struct {
	Account

	Location string
}
