package issuer

import (
	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// issuerFacts describes an Issuer or ClusterIssuer.
type issuerFacts struct {
	// Without a fault, APIFault.Seconds is the number of seconds for which Ready's message has not
	// changed.
	kube.APIFault
	Missing    bool  `json:"missing,omitempty"`
	Deleting   bool  `json:"deleting,omitempty"`
	Generation int64 `json:"generation,omitempty"`
	// Ready is the issuer's only condition (cert-manager pkg/apis/certmanager/v1
	// IssuerConditionReady).
	Ready kube.Condition `json:"ready,omitzero"`
	// CA is nil if the Spec requires no particular CA.
	CA *caFacts `json:"ca,omitempty"`
}

// issuerKubectl returns a kubectl command about the issuer.
func issuerKubectl(s Spec, verb string) string {
	if s.Namespace == "" {
		return "kubectl " + verb + " clusterissuer " + s.Name
	}
	return "kubectl -n " + s.Namespace + " " + verb + " issuer " + s.Name
}

func issuerCheck(s Spec) string {
	if s.Namespace == "" {
		return "clusterissuer " + s.Name
	}
	return "issuer " + s.Namespace + "/" + s.Name
}

// judgeIssuer judges whether cert-manager uses an issuer's present spec. cert-manager reconciles an
// issuer only after a failure, or when the issuer or one of its Secrets changes. So a fault that
// occurs after the issuer became Ready is only noticed when a certificate is issued.
func judgeIssuer(spec Spec, f issuerFacts) []health.Verdict {
	v := health.Verdict{Check: issuerCheck(spec), State: health.Waiting,
		Hint: issuerKubectl(spec, "describe")}
	switch {
	case f.Fault != nil:
		v = f.FaultVerdict(v.Check)
	case f.Missing:
		kube.Absent(&v)
	case f.Deleting:
		v.Message = "is being deleted"
	case f.Ready.Stale(f.Generation):
		v.Message = kube.StaleMessage(f.Ready, f.Generation)
		v.Cause = "cert-manager's controller has not reconciled it yet: it is starting, or not running"
		v.Hint = "kubectl -n cert-manager get pods; kubectl -n cert-manager logs deployment/cert-manager"
	case f.Ready.Status == "True":
		v = health.Verdict{Check: v.Check, State: health.Ready}
	default:
		notIssuing(&v, spec, f.Ready, f.Seconds)
	}
	if f.CA == nil {
		return []health.Verdict{v}
	}
	return []health.Verdict{v, judgeCA(spec, *f.CA)}
}

// notIssuing judges an issuer that cert-manager could not set up. cert-manager retries nearly every
// failure with growing pauses (pkg/controller DefaultItemBasedRateLimiter: 5 s to 5 min), so only
// failures that it does not retry are Stuck. A refused account is Stuck only after
// observe.StartupSeconds: when the Secret of the account's key changes, cert-manager registers
// again although the issuer's generation stays the same.
func notIssuing(v *health.Verdict, spec Spec, ready kube.Condition, seconds int) {
	known := CauseOfIssuance(ready.Message)
	v.Message = "not ready: " + observe.OrNone(health.OneLine(ready.Message))
	v.Evidence = []string{kube.ConditionLine(ready)}
	v.Cause = known.Cause
	again := issuerKubectl(spec, "annotate") + " strata/retry=$(date +%s) --overwrite"
	switch {
	case refusedAccount.MatchString(ready.Message):
		if seconds >= observe.StartupSeconds {
			v.State = health.Stuck
		}
		if known.Hint != "" {
			v.Hint = known.Hint
		}
		v.Hint += "; cert-manager asks again when the issuer or one of its Secrets changes, or after " + again
	case awaitsSecret.MatchString(ready.Message):
		v.Hint = known.Hint + "; cert-manager asks again when the Secret changes, or after " + again
	case known.final:
		v.State, v.Hint = health.Stuck, known.Hint
	case known.Hint != "":
		v.Hint = known.Hint + "; cert-manager tries again by itself, up to 5 minutes later, or at once after " + again
	}
}
