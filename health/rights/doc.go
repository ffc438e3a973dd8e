// Package rights judges whether ServiceAccounts have the permissions of a Helm release's roles, and
// whether the API server accepts their Pods' tokens. A controller without permissions or without a
// valid token stays Ready, but does nothing.
package rights
