package system

import (
	"fmt"
	"slices"
	"strings"

	"strata/health"
	"strata/health/host"
	"strata/health/observe"
)

// namesFacts has the DNS replies that hosts got for the name of the API's Service.
type namesFacts struct {
	// Skipped says why no host sends queries; empty if they do.
	Skipped string `json:"skipped,omitempty"`
	// Server is the address of Service kube-dns, and Want that of the API's Service, which DNS must
	// return. Each is empty while the Service has none.
	Server string          `json:"server,omitempty"`
	Want   string          `json:"want,omitempty"`
	Hosts  []host.Resolved `json:"hosts,omitempty"`
}

// apiName returns the DNS name of the API's Service, which every cluster has.
func apiName(domain string) string { return "kubernetes.default.svc." + domain }

// judgeNames judges for each host whether a query to kube-dns returns the API's address. CoreDNS is
// Ready even if its configuration resolves no name, and kube-proxy's rules may be missing on one
// host.
func judgeNames(domain string, f namesFacts) []health.Verdict {
	if f.Skipped != "" {
		return []health.Verdict{{Check: "dns from hosts", State: health.Skipped,
			Message: f.Skipped}}
	}
	told := slices.ContainsFunc(f.Hosts, f.right)
	verdicts := make([]health.Verdict, 0, len(f.Hosts))
	for _, r := range f.Hosts {
		v := judgeName(apiName(domain), f, r, told)
		v.Check = "dns from " + r.Host
		if v.State != health.Ready {
			v.After = []string{dnsCheck}
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// right reports whether a host's DNS reply contains the address of the API's Service.
func (f namesFacts) right(r host.Resolved) bool {
	return r.Code == host.Success && slices.Contains(r.Addresses, f.Want)
}

// judgeName judges the reply that one host got. told is true if any host got the right reply.
func judgeName(name string, f namesFacts, r host.Resolved, told bool) health.Verdict {
	v := health.Verdict{State: health.Waiting}
	switch {
	case f.Server == "" || f.Want == "":
		v.Message = "Service kube-system/kube-dns or default/kubernetes has no address yet"
		v.Hint = "kubectl get services -A"
		return v
	case r.Fault != "":
		v.Message = "the host cannot be asked: " + r.Fault
		return v
	case !r.Seen:
		v.Message = "not asked yet"
		return v
	case f.right(r):
		return health.Verdict{State: health.Ready}
	case r.Code == "":
		v.Message = fmt.Sprintf("%s:53 does not answer to %s", f.Server, name)
		v.Cause = "Service kube-dns leads to another port or to no Pod of CoreDNS, or CoreDNS hangs"
		v.Hint = "kubectl -n kube-system get service kube-dns -o yaml; kubectl -n kube-system logs deployment/coredns"
	default:
		found := r.Code
		if r.Code == host.Success {
			found = observe.OrNone(strings.Join(r.Addresses, ", "))
		}
		v.Message = fmt.Sprintf("%s gives %s: %s, expected %s", f.Server, name, found, f.Want)
		v.Cause = "CoreDNS's configuration: ConfigMap coredns, coredns-custom, or another cluster domain"
		v.Hint = "kubectl -n kube-system get configmap coredns coredns-custom -o yaml; kubectl " +
			"-n kube-system logs deployment/coredns"
	}
	if told {
		// Without kube-proxy's rules, the query goes to the default gateway, where a router may
		// answer with any code.
		v.Cause = "other hosts get the right answer: kube-proxy's rules on this one were " +
			"flushed, or packets between it and CoreDNS's node are lost"
		v.Hint = fmt.Sprintf("on %s: iptables-save | grep %s; restarting K3s there writes "+
			"the rules anew", r.Host, f.Server)
	}
	return v
}
