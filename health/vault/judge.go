package vault

import (
	"fmt"
	"net/http"
	"strings"

	"strata/health"
	"strata/health/kube"
	"strata/health/rights"
)

// vaultFacts describes a Vault server.
type vaultFacts struct {
	kube.APIFault
	// Workload is the workload that runs Vault.
	Workload kube.WorkloadFacts `json:"workload"`
	// Status and Body are the answer to a request for /v1/sys/health through the API server's
	// proxy. Error is the error of a request without an answer.
	Status int    `json:"status,omitempty"`
	Body   string `json:"body,omitempty"`
	Error  string `json:"error,omitempty"`
	// Leaving is true if the Pod is being deleted or is gone. The answer then does not count,
	// because the Pod answers until its containers exit.
	Leaving bool `json:"leaving,omitempty"`
	// Rights says whether the release's roles are in effect. It is read only if Vault is active.
	Rights []rights.Facts `json:"rights,omitempty"`
}

// These are the status codes of /v1/sys/health (Vault API documentation, /sys/health).
const (
	vaultStandby         = http.StatusTooManyRequests
	vaultUninitialised   = http.StatusNotImplemented
	vaultSealed          = http.StatusServiceUnavailable
	vaultServerUnhealthy = http.StatusInternalServerError
)

// vaultCheck is the name of the check of Vault's own answer.
const vaultCheck = "vault"

// judgeVault judges whether Vault is initialised, unsealed and active, and then whether it has its
// rights. Without these, Vault refuses each login of cert-manager. The Pod of a sealed Vault is not
// Ready either, but the Pod's condition would not give the reason.
func judgeVault(spec Spec, f vaultFacts) []health.Verdict {
	v := health.Verdict{Check: vaultCheck, State: health.Waiting,
		Hint: fmt.Sprintf("kubectl -n %s exec %s -- vault status", spec.Namespace, spec.Pod)}
	if f.Fault != nil {
		return f.FaultVerdicts(v.Check)
	}
	switch {
	case f.Error != "":
		v.Message = "does not answer: " + health.OneLine(f.Error)
		pod := kube.JudgeWorkload(f.Workload)
		if pod.State == health.Stuck {
			v.After = []string{pod.Check}
			return []health.Verdict{pod, v}
		}
		v.Cause, v.Evidence = pod.Message, pod.Evidence
	case f.Status == http.StatusOK && f.Leaving:
		v.Message = "its Pod is being deleted; the next one starts sealed"
	case f.Status == http.StatusOK:
		return append([]health.Verdict{{Check: vaultCheck, State: health.Ready,
			Message: "initialised, unsealed, active"}}, rights.Judge(f.Rights)...)
	case f.Status == vaultSealed && strings.Contains(f.Body, `"sealed":true`):
		v.State, v.Message = health.Stuck, "sealed"
		v.Cause = "its Pod was restarted, or it was sealed by hand: only its keys open it, and they are in the state"
		v.Hint = "strata vault unseal --stack STACK"
		v.Evidence = []string{f.Body}
	case f.Status == vaultUninitialised:
		v.State, v.Message = health.Stuck, "not initialised"
		v.Cause = "its storage is empty: a volume was lost, or the Pod moved to another one"
		v.Hint = "pulumi up --replace the resource vault-init makes a new one; certificates are " +
			"then issued by a new root"
		v.Evidence = []string{f.Body}
	case f.Status == vaultStandby:
		v.Message = "a standby: another server is active"
	case f.Status == vaultServerUnhealthy:
		v.Message, v.Evidence = "its storage fails", []string{f.Body}
	default:
		v.Message, v.Evidence = fmt.Sprintf("expected HTTP 200 of /v1/sys/health, found %d",
			f.Status), []string{f.Body}
	}
	return []health.Verdict{v}
}
