// Package rights judges whether ServiceAccounts may do what a Helm release's roles permit them:
// controllers without their roles run on, Ready, and do nothing.
package rights
