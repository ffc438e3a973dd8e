package certificate

import (
	"fmt"
	"strings"

	"strata/health"
	"strata/health/issuer"
	"strata/health/kube"
	"strata/health/observe"
)

// certificateFacts describes a Certificate, its newest request and its Secret.
type certificateFacts struct {
	kube.APIFault

	Certificate certificateSeen `json:"certificate"`
	// Request is the CertificateRequest of an issuance or renewal that is under way or has failed;
	// nil without one.
	Request *requestSeen `json:"request,omitempty"`
	Pair    pairFacts    `json:"pair"`
}

// certificateSeen describes the Certificate (cert-manager
// pkg/apis/certmanager/v1/types_certificate.go).
type certificateSeen struct {
	Missing    bool  `json:"missing,omitempty"`
	Deleting   bool  `json:"deleting,omitempty"`
	Generation int64 `json:"generation,omitempty"`
	// Secret is spec.secretName. Names are spec.dnsNames and spec.ipAddresses.
	Secret string   `json:"secret,omitempty"`
	Names  []string `json:"names,omitempty"`
	// Ready says whether the Secret fits the Certificate's spec. Issuing says whether an issuance
	// is under way; if it is False, its message says why the last attempt failed.
	Ready   kube.Condition `json:"ready,omitzero"`
	Issuing kube.Condition `json:"issuing,omitzero"`
	// Outdated is true while the certificate is signed by the CA or ACME server that the issuer had
	// before.
	Outdated bool `json:"outdated,omitempty"`
	// Retry is the time at which cert-manager tries to issue again after a failed issuance; empty
	// if none has failed.
	Retry string `json:"retry,omitempty"`
}

// requestSeen describes a CertificateRequest.
type requestSeen struct {
	Name     string         `json:"name"`
	Ready    kube.Condition `json:"ready,omitzero"`
	Approved kube.Condition `json:"approved,omitzero"`
	Denied   kube.Condition `json:"denied,omitzero"`
	Invalid  kube.Condition `json:"invalid,omitzero"`
	// Order is the ACME Order of this request; nil if the issuer does not use ACME.
	Order *orderSeen `json:"order,omitempty"`
}

// causeOutdated explains a certificate that differs from the one that its issuer would sign now.
const causeOutdated = "the issuer's CA or server was changed, and the certificate is being issued anew"

func certificateCheck(s Spec) string {
	return "certificate " + s.Namespace + "/" + s.Name
}

// judgeCertificate judges whether a certificate can be used. cert-manager must report it Ready at
// its newest generation, and the Secret must have a certificate and key that clients accept,
// because the next component reads only the Secret.
func judgeCertificate(spec Spec, f certificateFacts) []health.Verdict {
	if f.Fault != nil {
		return f.FaultVerdicts(certificateCheck(spec), "secret "+spec.Namespace+"/"+spec.Secret)
	}
	certificate := judgeIssued(spec, f)
	secret := judgePair(spec, f.Certificate, f.Pair)
	secret.After = []string{certificateCheck(spec)}
	if secret.State == health.Stuck && certificate.State != health.Ready {
		// The Secret still has the certificate of an earlier generation, which cert-manager is
		// about to replace.
		secret.State = health.Waiting
	}
	if f.Pair.Short && certificate.State == health.Ready {
		renewal(&secret, f)
	}
	return []health.Verdict{certificate, secret}
}

// renewal adds to the verdict the reason why a due renewal has not succeeded, if the Certificate
// has a CertificateRequest for it.
func renewal(v *health.Verdict, f certificateFacts) {
	if f.Request == nil {
		return
	}
	var next health.Verdict
	notIssued(&next, f.Certificate, f.Request)
	v.Message += "; its renewal: " + next.Message
	v.Evidence = append(v.Evidence, next.Evidence...)
	if next.Cause != "" {
		v.Cause = next.Cause
	}
	v.Hint = next.Hint + v.Hint
}

func judgeIssued(spec Spec, f certificateFacts) health.Verdict {
	c := f.Certificate
	v := health.Verdict{Check: certificateCheck(spec), State: health.Waiting,
		Hint: fmt.Sprintf("kubectl -n %s describe certificate %s; kubectl -n %s get "+
			"certificaterequests", spec.Namespace, spec.Name, spec.Namespace)}
	switch {
	case c.Missing:
		kube.Absent(&v)
	case c.Deleting:
		v.Message = "is being deleted"
	case c.Secret != spec.Secret:
		v.State = health.Stuck
		v.Message = fmt.Sprintf("writes Secret %s, expected %s", observe.OrNone(c.Secret), spec.Secret)
	case c.Ready.Stale(c.Generation):
		v.Message = kube.StaleMessage(c.Ready, c.Generation)
		v.Cause = "cert-manager's controller has not reconciled it yet: it is starting, or not running"
		v.Hint = "kubectl -n cert-manager get pods; kubectl -n cert-manager logs deployment/cert-manager"
	case c.Ready.Status == "True" && c.Outdated:
		v.Message = "was issued by the CA or server that the issuer had before"
		v.Cause = causeOutdated
		renewal(&v, f)
	case c.Ready.Status == "True":
		// A renewal may be under way. Meanwhile, the check of the Secret says how long its
		// certificate is valid.
		return health.Verdict{Check: v.Check, State: health.Ready}
	default:
		notIssued(&v, c, f.Request)
	}
	return v
}

// notIssued sets the reason why there is no certificate yet. It prefers the request's message,
// which the Certificate only repeats.
func notIssued(v *health.Verdict, c certificateSeen, request *requestSeen) {
	v.Message = "not ready: " + observe.OrNone(health.OneLine(c.Ready.Message))
	message := c.Ready.Message
	if c.Issuing.Status != "" {
		v.Evidence = append(v.Evidence, kube.ConditionLine(c.Issuing))
	}
	if request != nil {
		message = requestMessage(v, *request)
	}
	failed := c.Issuing.Status == "False" && !c.Issuing.Stale(c.Generation)
	if failed {
		message = c.Issuing.Message + " " + message
		v.Message = "issuance failed: " + health.OneLine(c.Issuing.Message)
		if request != nil && request.Order != nil {
			v.Message = "issuance failed: " + request.Order.stage().String()
		}
		if c.Retry != "" {
			v.Message += "; cert-manager tries again at " + c.Retry
			v.Hint = "cmctl renew, once the cause is gone, tries at once; " + v.Hint
		}
	}
	hindered := request != nil && request.Order.judgeHindrance(v)
	if known := issuer.CauseOfIssuance(message); known.Cause != "" && !hindered {
		v.Cause, v.Hint = known.Cause, known.Hint+"; "+v.Hint
	}
	if request != nil {
		judgeDenial(v, *request, failed)
	}
}

// judgeDenial judges a request that an approver or the issuer has denied. A retry would be denied
// again.
func judgeDenial(v *health.Verdict, request requestSeen, failed bool) {
	switch {
	case request.Denied.Status == "True":
		v.Cause = "an approver denied CertificateRequest " + request.Name + ": " +
			observe.OrNone(request.Denied.Message)
	case request.Invalid.Status == "True":
		v.Cause = "the issuer calls CertificateRequest " + request.Name + " invalid: " +
			observe.OrNone(request.Invalid.Message)
	default:
		return
	}
	if failed {
		v.State = health.Stuck
	}
}

// requestMessage adds a request's conditions and Order to the evidence. It returns the message of
// the condition Ready and the stage of the Order.
func requestMessage(v *health.Verdict, request requestSeen) string {
	for _, c := range []kube.Condition{request.Ready, request.Denied, request.Invalid} {
		if c.Status != "" {
			v.Evidence = append(v.Evidence,
				"CertificateRequest "+request.Name+": "+kube.ConditionLine(c))
		}
	}
	stage := ""
	switch {
	case request.Order != nil:
		v.Evidence = append(v.Evidence, request.Order.evidence()...)
		stage = request.Order.stage().String()
		v.Message = "not ready: " + stage
	case request.Ready.Status == "" && request.Approved.Status == "" && request.Denied.Status == "":
		v.Cause = "CertificateRequest " + request.Name + " is not approved yet"
	case request.Ready.Message != "":
		v.Message = "not ready: " + health.OneLine(request.Ready.Message)
	}
	return strings.TrimSpace(request.Ready.Message + " " + stage)
}
