// Package rights judges whether ServiceAccounts have the permissions of a Helm release's roles, and
// whether the API server accepts their Pods' tokens. It is needed because controllers without them
// stay Ready and do nothing.
package rights
