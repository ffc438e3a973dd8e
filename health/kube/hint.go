package kube

import (
	"strata/health"
	"strata/internal/ssh/tunnel"
)

// Absent sets message, cause and hint of the verdict on a missing object that the stack creates.
// The hint is a Pulumi command, because kubectl has nothing to describe.
func Absent(v *health.Verdict) {
	v.Message = "does not exist"
	v.Cause = "it was deleted, or is not applied yet, or its CRD is not established"
	v.Hint = "if it was deleted: pulumi up puts it back"
}

// cause returns the usual reason for this kind of fault; empty if none is known.
func (f *Fault) cause() string {
	switch f.Kind {
	case faultRefused:
		return "the API server is not listening (yet)"
	case faultTimeout, faultUnreachable:
		return "network fault between this machine and the server, or the server is overloaded"
	case FaultUnauthorized:
		return "the kubeconfig's credentials are not this cluster's"
	case faultForbidden:
		return "the kubeconfig's user is not a cluster administrator"
	case faultUnknownCA:
		return "another cluster, or an earlier installation, holds this address"
	case faultName:
		return "the server's certificate does not list this address"
	case faultCertificate:
		return "the certificate has expired, or the clocks differ"
	case faultTunnel, faultProxy:
		return f.way().Cause()
	case faultPlugin:
		return "the kubeconfig's user logs in with a program, which returned no credentials"
	default:
		return ""
	}
}

// hint returns the fix for a fault, or a command that shows more; empty if none is known.
func (f *Fault) hint() string {
	switch {
	case f.Kind == faultTunnel:
		return f.way().Hint()
	case f.Kind == faultProxy:
		return f.way().Hint() + " (without one, HTTPS_PROXY names it)"
	case f.Kind == faultPlugin:
		return "kubectl get nodes with this context runs it too"
	case f.Existing:
		return f.existingHint()
	}
	switch f.Kind {
	case faultRefused:
		return "on the server: systemctl status k3s; journalctl -u k3s -n 50"
	case faultTimeout, faultUnreachable:
		return "check the route and the firewall for " + f.Server + " (TCP)"
	case FaultUnauthorized, faultForbidden:
		return "compare the kubeconfig with /etc/rancher/k3s/k3s.yaml on the server"
	case faultUnknownCA:
		return "compare the kubeconfig's CA with https://" + f.Server +
			"/cacerts; uninstall the K3s that is not of this cluster"
	case faultName:
		return "add the address to the servers' tls-san"
	case faultCertificate:
		return "compare the clocks; restart k3s to renew certificates that expire within 90 days"
	default:
		return ""
	}
}

// way returns the error that explains why the tunnel or proxy does not connect.
func (f *Fault) way() *tunnel.DownError { return &tunnel.DownError{Foreign: f.Kind == faultProxy} }

// existingHint returns the fix for a fault of an existing cluster's server, on which Strata cannot
// log in.
func (f *Fault) existingHint() string {
	const anew = "write the context anew (kind export kubeconfig, k3d kubeconfig merge), or name " +
		"another in strata:cluster.context"
	switch f.Kind {
	case faultRefused:
		return "start the cluster (docker ps shows the nodes of kind and k3d), or " + anew
	case faultTimeout, faultUnreachable:
		return "check the route and the firewall for " + f.Server + " (TCP)"
	case FaultUnauthorized, faultForbidden, faultUnknownCA:
		return anew
	case faultName:
		return "use a server address in the context that the certificate has, or set its tls-server-name"
	case faultCertificate:
		return "compare the clocks; the cluster's owner renews its certificates"
	default:
		return ""
	}
}
