// Package rights judges whether ServiceAccounts have the permissions of a Helm release's roles.
// Controllers without their roles keep running, are Ready, and do nothing.
package rights
