package certificate

import (
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/issuer"
	"strata/health/kube"
)

// AfterAnnotation is on a Certificate whose issuer has a new signer. Its value is the revision that
// the earlier signer signed; the next revision is signed by the new one.
const AfterAnnotation = "strata/reissue-after-revision"

// RevisionAnnotation is on every CertificateRequest that cert-manager makes for a Certificate.
const RevisionAnnotation = "cert-manager.io/certificate-revision"

// The pauses after failed issuances, unless cert-manager's
// --certificate-request-minimum-backoff-duration says otherwise
// (pkg/controller/certificates/trigger shouldBackoffReissuingOnFailure): an hour, doubled with each
// failure.
const (
	issuancePause    = time.Hour
	issuancePauseMax = 32 * time.Hour
)

// certificateObject holds the fields of a Certificate that a gate reads.
type certificateObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		SecretName  string   `json:"secretName"`
		DNSNames    []string `json:"dnsNames"`
		IPAddresses []string `json:"ipAddresses"`
	} `json:"spec"`
	Status struct {
		Conditions             []kube.Condition `json:"conditions"`
		Revision               int              `json:"revision"`
		LastFailureTime        *metav1.Time     `json:"lastFailureTime"`
		FailedIssuanceAttempts int              `json:"failedIssuanceAttempts"`
	} `json:"status"`
}

func (o *certificateObject) facts() certificateSeen {
	if o == nil {
		return certificateSeen{Missing: true}
	}
	seen := certificateSeen{
		Deleting: o.DeletionTimestamp != nil, Generation: o.Generation, Secret: o.Spec.SecretName,
		Names:   slices.Concat(o.Spec.DNSNames, o.Spec.IPAddresses),
		Ready:   kube.ConditionOf(o.Status.Conditions, "Ready"),
		Issuing: kube.ConditionOf(o.Status.Conditions, "Issuing"),
	}
	if after, noted := o.Annotations[AfterAnnotation]; noted {
		revision, err := strconv.Atoi(after)
		seen.Outdated = err == nil && o.Status.Revision <= revision
	}
	if failed := o.Status.LastFailureTime; failed != nil {
		seen.Retry = failed.Add(pauseAfter(o.Status.FailedIssuanceAttempts)).UTC().Format(
			time.RFC3339)
	}
	return seen
}

// pauseAfter returns cert-manager's pause after a number of failures in a row.
func pauseAfter(failures int) time.Duration {
	pause := issuancePause
	for ; failures > 1 && pause < issuancePauseMax; failures-- {
		pause *= 2
	}
	return pause
}

func requestFactsOf(request *issuer.ConditionedObject) *requestSeen {
	conditions := request.Status.Conditions
	return &requestSeen{
		Name: request.Name, Ready: kube.ConditionOf(conditions, "Ready"),
		Approved: kube.ConditionOf(conditions, "Approved"),
		Denied:   kube.ConditionOf(conditions, "Denied"),
		Invalid:  kube.ConditionOf(conditions, "InvalidRequest"),
	}
}
