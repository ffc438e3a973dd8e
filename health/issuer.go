package health

// issuerFacts is one look at an Issuer or ClusterIssuer.
type issuerFacts struct {
	Fault   *fault `json:"fault,omitempty"`
	Seconds int    `json:"seconds,omitempty"`

	Missing    bool  `json:"missing,omitempty"`
	Deleting   bool  `json:"deleting,omitempty"`
	Generation int64 `json:"generation,omitempty"`
	// Ready is its only condition (cert-manager pkg/apis/certmanager/v1 IssuerConditionReady).
	Ready condition `json:"ready,omitzero"`
}

// issuerKubectl is a kubectl command about the issuer.
func issuerKubectl(s IssuerSpec, verb string) string {
	if s.Namespace == "" {
		return "kubectl " + verb + " clusterissuer " + s.Name
	}
	return "kubectl -n " + s.Namespace + " " + verb + " issuer " + s.Name
}

func issuerCheck(s IssuerSpec) string {
	if s.Namespace == "" {
		return "clusterissuer " + s.Name
	}
	return "issuer " + s.Namespace + "/" + s.Name
}

// judgeIssuer says whether cert-manager has taken an issuer into use, as it is specified now. cert-manager looks at an issuer
// when it or one of its Secrets changes, and again after a failure: what has failed since it was last Ready is seen when a
// certificate is issued.
func judgeIssuer(spec IssuerSpec, f issuerFacts) []Verdict {
	v := Verdict{Check: issuerCheck(spec), State: Waiting, Hint: issuerKubectl(spec, "describe")}
	switch {
	case f.Fault != nil:
		v = f.Fault.verdict(v.Check, f.Seconds >= startupSeconds)
	case f.Missing:
		v.Message = "does not exist"
		v.Cause = "it is not applied yet, or its CRD is not established"
	case f.Deleting:
		v.Message = "is being deleted"
	case f.Ready.stale(f.Generation):
		v.Message = staleSaid(f.Ready, f.Generation)
		v.Cause = "cert-manager's controller has not looked at it yet: it is starting, or not running"
		v.Hint = "kubectl -n cert-manager get pods; kubectl -n cert-manager logs deployment/cert-manager"
	case f.Ready.Status == "True":
		v = Verdict{Check: v.Check, State: Ready}
	default:
		notIssuing(&v, spec, f.Ready)
	}
	return []Verdict{v}
}

// notIssuing is an issuer that cert-manager has tried in vain. Nearly every failure is tried again, with growing pauses (pkg/
// controller DefaultItemBasedRateLimiter: 5 s to 5 min), so only what is not is a reason to give up.
func notIssuing(v *Verdict, spec IssuerSpec, ready condition) {
	known := causeOfIssuance(ready.Message)
	v.Message = "not ready: " + orNone(oneLine(ready.Message))
	v.Evidence = []string{conditionLine(ready)}
	v.Cause = known.cause
	switch {
	case known.final:
		v.State, v.Hint = Stuck, known.hint
	case known.hint != "":
		v.Hint = known.hint + "; cert-manager tries again by itself, up to 5 minutes later, or at once after " + issuerKubectl(spec, "annotate") + " strata/retry=$(date +%s) --overwrite"
	}
}
