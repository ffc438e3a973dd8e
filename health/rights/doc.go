// Package rights judges whether ServiceAccounts have the permissions of a Helm release's roles. It
// is needed because controllers without their roles stay Ready and do nothing.
package rights
