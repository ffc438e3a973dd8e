// Package supervisor is the part of a K3s server that is not Kubernetes: the HTTPS listener on 6443
// with /ping, /cacerts and /v1-k3s/*, the join passwords, and the client that a joining node uses.
//
// It owns: the rights of callers, node passwords, and the answers' shape. Every other path goes to
// the API server's handler, in this process, so that client certificates keep working. It does not
// own: certificates (pki), etcd membership (datastore). It guarantees: /ping and /cacerts answer
// before the API server does, as in K3s; passwords are compared in constant time and are never
// logged.
package supervisor
