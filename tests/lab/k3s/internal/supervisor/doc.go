// Package supervisor is the part of a K3s server that is not Kubernetes: the HTTPS listener on 6443
// with /ping, /cacerts and /v1-k3s/*, the join passwords, and the client of a joining node.
//
// It owns the authorization of callers, node passwords and the form of responses. It passes every
// other path to the API server's handler in this process, so that client certificates work. It does
// not own certificates (pki) or etcd membership (datastore). As in K3s, /ping and /cacerts respond
// before the API server does. Passwords are compared in constant time and never logged.
package supervisor
