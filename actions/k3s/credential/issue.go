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

	"strata/internal/kube/apiserver"
)

// Issuer issues the certificates of a Request.
type Issuer struct {
	Hosts Hosts
	// Now returns the current time.
	Now func() time.Time
	// Log receives a line for each step.
	Log io.Writer
}

// Issue creates the role bindings of the user and its reader, and issues a certificate for each. If
// previous still fits the request, it returns previous; changed server addresses are no reason for
// new certificates. At the end it revokes the rights of the stack's earlier users.
func (i *Issuer) Issue(ctx context.Context, r Request, previous *Issued) (*Issued, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	if previous != nil && isFormer(r.User, previous.User) {
		return nil, fmt.Errorf("strata:k3s.kubeconfigGeneration: expected at least that of user "+
			"%s, which the stack has, found %s: "+
			"a kubeconfig that was revoked would have its rights again", previous.User, r.User)
	}
	found, err := i.access(ctx, r.Servers)
	if err != nil {
		return nil, err
	}
	client, err := i.Hosts.Client(found.kubeconfig, found.server)
	if err != nil {
		return nil, err
	}
	if err := apiserver.Insist(ctx, func(ctx context.Context) error {
		return permit(ctx, client,
			r.User)
	}); err != nil {
		return nil, fmt.Errorf("on %s: %w", found.server, err)
	}
	issued := previous
	if previous.answers(r, found.config.CAData, i.Now()) {
		i.say("%s keeps its certificate, which ends at %s", r.User,
			previous.Ends.Format(time.RFC3339))
	} else {
		if issued, err = i.fresh(ctx, client, r, found); err != nil {
			return nil, fmt.Errorf("on %s: %w", found.server, err)
		}
		i.say("%s has a certificate of %s until %s", r.User, found.server,
			issued.Ends.Format(time.RFC3339))
	}
	if err := apiserver.Insist(ctx, func(ctx context.Context) error {
		return i.unbindFormer(ctx,
			client, r.User)
	}); err != nil {
		return nil, fmt.Errorf("on %s: %w", found.server, err)
	}
	return issued, nil
}

// permit creates the reader's role and the bindings of the user and its reader.
func permit(ctx context.Context, client kubernetes.Interface, user string) error {
	if err := permitReading(ctx, client); err != nil {
		return err
	}
	if err := bind(ctx, client, ReaderOf(user), ReaderRole); err != nil {
		return err
	}
	return bind(ctx, client, user, role)
}

// fresh issues new certificates for the user and its reader.
func (i *Issuer) fresh(
	ctx context.Context, client kubernetes.Interface, r Request, from *admin,
) (*Issued, error) {
	issued := &Issued{User: r.User, Lifetime: r.Lifetime, Generation: r.Generation}
	var err error
	everything := authorizationv1.ResourceAttributes{Group: "*", Resource: "*", Verb: "*"}
	issued.Kubeconfig, issued.Ends, err = i.certify(ctx, client, r.User, r.Lifetime.Duration, from,
		everything)
	if err != nil {
		return nil, err
	}
	nodes := authorizationv1.ResourceAttributes{Resource: "nodes", Verb: "list"}
	issued.Reader, _, err = i.certify(ctx, client, ReaderOf(r.User), r.Lifetime.Duration,
		from, nodes)
	return issued, err
}

// certify issues a certificate for a user, and returns its kubeconfig and its expiry. It returns an
// error if the user does not get the permission may, so that no unusable kubeconfig is stored.
func (i *Issuer) certify(
	ctx context.Context, client kubernetes.Interface, user string, lifetime time.Duration,
	from *admin, may authorizationv1.ResourceAttributes,
) (text string, ends time.Time, err error) {
	key, csr, err := request(user)
	if err != nil {
		return "", ends, err
	}
	certificate, err := sign(ctx, client, csr, lifetime)
	if err != nil {
		return "", ends, err
	}
	if ends, err = endOf(certificate); err != nil {
		return "", ends, err
	}
	// A certificate that is valid for less would expire before the program renews it.
	if least := lifetime * (renewals - 1) / renewals; ends.Sub(i.Now()) < least {
		return "", ends, fmt.Errorf("expected a certificate for %s "+
			"(strata:k3s.clientCertificateLifetime), found one that ends at %s: K3s signs for no longer; "+
			"shorten the lifetime, or see cluster-signing-duration in "+
			"kube-controller-manager-arg of strata:k3s.serverArgs, and the end of the cluster's CA",
			lifetime, ends.Format(time.RFC3339))
	}
	made, err := kubeconfig(user, from.config.CAData, certificate, key)
	if err != nil {
		return "", ends, err
	}
	if err := i.works(ctx, made, from, may); err != nil {
		return "", ends, fmt.Errorf("the new certificate of %s: %w", user, err)
	}
	return string(made), ends.UTC(), nil
}

// works verifies with the user's certificate that the API server grants the permission may. It
// retries, because the server may not have seen a new binding yet.
func (i *Issuer) works(
	ctx context.Context, text []byte, at *admin, may authorizationv1.ResourceAttributes,
) error {
	client, err := i.Hosts.Client(text, at.server)
	if err != nil {
		return err
	}
	return apiserver.Insist(ctx, func(ctx context.Context) error {
		answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx,
			&authorizationv1.SelfSubjectAccessReview{
				Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &may},
			}, metav1.CreateOptions{})
		if err == nil && !answer.Status.Allowed {
			return errors.New("its rights do not hold yet; see its ClusterRoleBinding") // Insist retries
		}
		return err
	})
}

func (i *Issuer) say(format string, args ...any) {
	_, _ = fmt.Fprintf(i.Log, "credential: "+format+"\n", args...)
}
