package credential

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"strata/internal/apiserver"
)

// Issuer carries out a Request.
type Issuer struct {
	Hosts Hosts
	// Now is the clock.
	Now func() time.Time
	// Log is where each step is told.
	Log io.Writer
}

// Issue binds the user, and issues a certificate for it unless previous still answers the request: one that is only asked at other
// addresses keeps what it has.
func (i *Issuer) Issue(ctx context.Context, r Request, previous *Issued) (*Issued, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	found, err := i.access(ctx, r.Servers)
	if err != nil {
		return nil, err
	}
	client, err := i.Hosts.Client(found.config, found.server)
	if err != nil {
		return nil, err
	}
	if err := apiserver.Insist(ctx, func(ctx context.Context) error { return bind(ctx, client, r.User) }); err != nil {
		return nil, fmt.Errorf("on %s: %w", found.server, err)
	}
	if previous.answers(r, found.config.CAData, i.Now()) {
		i.say("%s keeps its certificate, which ends at %s", r.User, previous.Ends.Format(time.RFC3339))
		return previous, nil
	}
	issued, err := i.fresh(ctx, client, r, found)
	if err != nil {
		return nil, fmt.Errorf("on %s: %w", found.server, err)
	}
	i.say("%s has a certificate of %s until %s", r.User, found.server, issued.Ends.Format(time.RFC3339))
	return issued, nil
}

// fresh issues a certificate, and proves that it works before anything depends on it.
func (i *Issuer) fresh(ctx context.Context, client kubernetes.Interface, r Request, from *admin) (*Issued, error) {
	key, csr, err := request(r.User)
	if err != nil {
		return nil, err
	}
	certificate, err := sign(ctx, client, csr, r.Lifetime.Duration)
	if err != nil {
		return nil, err
	}
	ends, err := endOf(certificate)
	if err != nil {
		return nil, err
	}
	// Shorter than the calendar believes, and it would end before it is renewed.
	if least := r.Lifetime.Duration * (renewals - 1) / renewals; ends.Sub(i.Now()) < least {
		return nil, fmt.Errorf("expected a certificate for %s (strata:k3s.clientCertificateLifetime), found one that ends at %s: K3s signs for no longer; "+
			"shorten the lifetime, or see cluster-signing-duration in kube-controller-manager-arg of strata:k3s.serverArgs, and the end of the cluster's CA",
			r.Lifetime.Duration, ends.Format(time.RFC3339))
	}
	text, err := kubeconfig(r.User, from.config.CAData, certificate, key)
	if err != nil {
		return nil, err
	}
	if err := i.works(ctx, text, from); err != nil {
		return nil, fmt.Errorf("the new certificate of %s: %w", r.User, err)
	}
	return &Issued{User: r.User, Lifetime: r.Lifetime, Generation: r.Generation, Ends: ends.UTC(), Kubeconfig: string(text)}, nil
}

// works asks an API server, as the user, whether it may do everything. The binding may be a moment older than what the server knows.
func (i *Issuer) works(ctx context.Context, text []byte, at *admin) error {
	config, err := read(text)
	if err != nil {
		return err
	}
	client, err := i.Hosts.Client(config, at.server)
	if err != nil {
		return err
	}
	return apiserver.Insist(ctx, func(ctx context.Context) error {
		answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Group: "*", Resource: "*", Verb: "*"}},
		}, metav1.CreateOptions{})
		if err == nil && !answer.Status.Allowed {
			return errors.New("it may not do everything yet; see its ClusterRoleBinding") // asked again
		}
		return err
	})
}

func (i *Issuer) say(format string, args ...any) {
	_, _ = fmt.Fprintf(i.Log, "credential: "+format+"\n", args...)
}
