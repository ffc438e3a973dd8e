package reissue

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"

	"strata/actions/verb"
	gate "strata/health/certificate"
	"strata/internal/kube/conflict"
	"strata/internal/pulumi/self"
)

// Reissue reissues an issuer's certificates if the signer or the attempt differs from the previous
// output, and prints both. The first run reissues nothing, because no earlier signer has issued
// certificates.
var Reissue = verb.New(func(ctx context.Context, call verb.Call, input Input) error {
	now := input.Signer + " " + os.Getenv(self.Attempt)
	if before := strings.TrimSpace(call.PreviousOutput()); before != "" && before != now {
		client, err := call.Objects()
		if err != nil {
			return err
		}
		if err := reissueAll(ctx, client, input.Issuer, call.Stderr); err != nil {
			return fmt.Errorf("reissue: %w", err)
		}
	}
	return call.Print(now)
})

// Input is the input of Reissue. Pulumi's state stores it, so its JSON keys must not change.
type Input struct {
	// Issuer is the ClusterIssuer's name.
	Issuer string `json:"issuer"`
	// Signer identifies the CA or server that signs. When it changes, all certificates are
	// reissued.
	Signer string `json:"signer"`
	// Timeout bounds the command.
	Timeout metav1.Duration `json:"timeout"`
}

var (
	certificates = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1",
		Resource: "certificates"}
	requests = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1",
		Resource: "certificaterequests"}
)

// reissueAll triggers the renewal of every certificate of a ClusterIssuer, including those of
// users. It does not wait for cert-manager. After an interrupt, the next run starts again.
func reissueAll(ctx context.Context, client dynamic.Interface, issuer string, log io.Writer) error {
	all, err := client.Resource(certificates).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list certificates: %w", err)
	}
	for i := range all.Items {
		certificate := &all.Items[i]
		if !isOf(certificate, issuer) {
			continue
		}
		name := certificate.GetNamespace() + "/" + certificate.GetName()
		if err := renew(ctx, client, certificate); err != nil {
			return fmt.Errorf("certificate %s: %w", name, err)
		}
		if _, err := fmt.Fprintf(log, "certificate %s: its signer has changed, and it is "+
			"issued anew\n", name); err != nil {
			return err
		}
	}
	return nil
}

func isOf(certificate *unstructured.Unstructured, issuer string) bool {
	name, _, _ := unstructured.NestedString(certificate.Object, "spec", "issuerRef", "name")
	kind, _, _ := unstructured.NestedString(certificate.Object, "spec", "issuerRef", "kind")
	return name == issuer && kind == "ClusterIssuer"
}

// renew does the same as `cmctl renew`, and also deletes a pending CertificateRequest. The pending
// request is for the previous signer, and cert-manager would complete it instead of making a new
// one.
func renew(
	ctx context.Context, client dynamic.Interface, certificate *unstructured.Unstructured,
) error {
	own := client.Resource(certificates).Namespace(certificate.GetNamespace())
	name := certificate.GetName()
	revision, _, _ := unstructured.NestedInt64(certificate.Object, "status", "revision")
	note := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, gate.AfterAnnotation,
		strconv.FormatInt(revision, 10))
	if _, err := own.Patch(ctx, name, types.MergePatchType, []byte(note),
		metav1.PatchOptions{}); err != nil {
		return ignoreGone(err)
	}
	if err := forget(ctx, client, certificate, revision+1); err != nil {
		return err
	}
	return conflict.Retry(retry.DefaultBackoff, func() error {
		found, err := own.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return ignoreGone(err)
		}
		if err := setIssuing(found, time.Now()); err != nil {
			return err
		}
		_, err = own.UpdateStatus(ctx, found, metav1.UpdateOptions{})
		return ignoreGone(err)
	})
}

// ignoreGone returns nil for NotFound, because the object was deleted meanwhile; otherwise err.
func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// forget deletes the CertificateRequests for a certificate's next revision, and thereby the ACME
// Orders that they own.
func forget(
	ctx context.Context, client dynamic.Interface, certificate *unstructured.Unstructured,
	revision int64,
) error {
	own := client.Resource(requests).Namespace(certificate.GetNamespace())
	all, err := own.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list requests: %w", err)
	}
	for i := range all.Items {
		request := &all.Items[i]
		if !metav1.IsControlledBy(request, certificate) ||
			request.GetAnnotations()[gate.RevisionAnnotation] != strconv.FormatInt(revision, 10) {
			continue
		}
		err := own.Delete(ctx, request.GetName(), metav1.DeleteOptions{})
		if ignoreGone(err) != nil {
			return fmt.Errorf("delete request %s: %w", request.GetName(), err)
		}
	}
	return nil
}

// setIssuing sets the condition Issuing, so that cert-manager requests a certificate at once, even
// during its backoff after a failure (pkg/controller/certificates/requestmanager).
func setIssuing(certificate *unstructured.Unstructured, now time.Time) error {
	conditions, _, err := unstructured.NestedSlice(certificate.Object, "status", "conditions")
	if err != nil {
		return err
	}
	issuing := map[string]any{
		"type": "Issuing", "status": "True", "reason": "SignerChanged",
		"message":            "The CA or the ACME server of the issuer has changed",
		"lastTransitionTime": now.UTC().Format(time.RFC3339),
		"observedGeneration": certificate.GetGeneration(),
	}
	others := []any{issuing}
	for _, one := range conditions {
		if condition, ok := one.(map[string]any); !ok || condition["type"] != "Issuing" {
			others = append(others, one)
		}
	}
	return unstructured.SetNestedSlice(certificate.Object, others, "status", "conditions")
}
