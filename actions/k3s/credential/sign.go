package credential

import (
	"context"
	"fmt"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	clientwatch "k8s.io/client-go/tools/watch"

	"strata/internal/kube/apiserver"
)

const (
	// shortest is the shortest lifetime that the certificates API accepts (k8s.io/api
	// certificates/v1, expirationSeconds).
	shortest = 10 * time.Minute
	// cleanupLimit bounds the deletion of a CertificateSigningRequest, which also runs after the
	// command's timeout.
	cleanupLimit = 10 * time.Second
)

// sign lets the cluster sign a certificate request, and returns the certificate in PEM. It deletes
// the CertificateSigningRequest afterwards; Kubernetes would keep it for an hour.
func sign(
	ctx context.Context, client kubernetes.Interface, csr []byte, lifetime time.Duration,
) (certificate []byte, err error) {
	seconds := int32(max(lifetime, shortest).Seconds())
	requests := client.CertificatesV1().CertificateSigningRequests()
	made, err := apiserver.Ask(ctx,
		func(ctx context.Context) (*certificatesv1.CertificateSigningRequest, error) {
			return requests.Create(ctx, &certificatesv1.CertificateSigningRequest{
				ObjectMeta: metav1.ObjectMeta{GenerateName: "strata-"},
				Spec: certificatesv1.CertificateSigningRequestSpec{
					Request: csr, SignerName: certificatesv1.KubeAPIServerClientSignerName,
					Usages:            []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth},
					ExpirationSeconds: &seconds,
				},
			}, metav1.CreateOptions{})
		})
	if err != nil {
		return nil, fmt.Errorf("create a CertificateSigningRequest: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupLimit)
		defer cancel()
		// An error is ignored: Kubernetes deletes the request after an hour.
		_ = requests.Delete(ctx, made.Name, metav1.DeleteOptions{})
	}()
	made.Status.Conditions = append(made.Status.Conditions,
		certificatesv1.CertificateSigningRequestCondition{
			Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue,
			Reason:  "Strata",
			Message: "asked for by the stack that owns the cluster",
		})
	err = apiserver.Insist(ctx, func(ctx context.Context) error {
		_, err := requests.UpdateApproval(ctx, made.Name, made, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("approve CertificateSigningRequest %s: %w", made.Name, err)
	}
	return awaitCertificate(ctx, client, made.Name)
}

// awaitCertificate waits until the controller manager has signed the request, and returns the
// certificate. The controller manager starts a little later than the API server.
func awaitCertificate(ctx context.Context, client kubernetes.Interface, name string) (certificate []byte,
	err error) {
	requests := client.CertificatesV1().CertificateSigningRequests()
	only := fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()
	source := apiserver.NewListWatch(client, requests, metav1.ListOptions{FieldSelector: only})
	_, err = clientwatch.UntilWithSync(ctx, source, &certificatesv1.CertificateSigningRequest{},
		nil, func(event watch.Event) (bool, error) {
			seen, ok := event.Object.(*certificatesv1.CertificateSigningRequest)
			if !ok || seen.Name != name {
				return false, nil
			}
			for _, condition := range seen.Status.Conditions {
				if condition.Type == certificatesv1.CertificateDenied ||
					condition.Type == certificatesv1.CertificateFailed {
					return false, fmt.Errorf("%s: %s (%s)", condition.Type, condition.Message,
						condition.Reason)
				}
			}
			certificate = seen.Status.Certificate
			return len(certificate) > 0, nil
		})
	if err != nil {
		return nil, fmt.Errorf("CertificateSigningRequest %s was not signed: %w; the signer is a "+
			"part of the controller manager, on a server: journalctl -u k3s | grep certificate_controller",
			name, err)
	}
	return certificate, nil
}
