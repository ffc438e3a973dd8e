// Package rights judges whether ServiceAccounts have the permissions of a Helm release's roles:
// controllers without their roles run on, Ready, and do nothing.
package rights
