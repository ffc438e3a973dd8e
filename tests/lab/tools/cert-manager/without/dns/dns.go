// Package dns is a stub of cert-manager's solvers for DNS01 challenges. It has only cert-manager's
// own solver for dynamic updates (RFC 2136). The SDKs of the DNS providers take a third of
// cert-manager's compile time.
package dns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	whapi "github.com/cert-manager/cert-manager/pkg/acme/webhook/apis/acme/v1alpha1"
	cmacme "github.com/cert-manager/cert-manager/pkg/apis/acme/v1"
	cmapi "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/cert-manager/cert-manager/pkg/controller"
	"github.com/cert-manager/cert-manager/pkg/issuer/acme/dns/rfc2136"
	"github.com/cert-manager/cert-manager/pkg/issuer/acme/dns/util"
)

var errOthers = errors.New("the lab's cert-manager solves DNS01 challenges by RFC 2136 only")

// Solver solves challenges by dynamic updates. Its methods fail for other solvers.
type Solver struct {
	*controller.Context
	updates *rfc2136.Solver
}

// NewSolver returns a Solver. It must not fail, because the controller calls it before there is a
// challenge.
func NewSolver(ctx *controller.Context) (*Solver, error) {
	secrets := ctx.KubeSharedInformerFactory.Secrets().Lister()
	return &Solver{ctx, rfc2136.New(rfc2136.WithNamespace(ctx.Namespace), rfc2136.WithSecretsLister(secrets))}, nil
}

// Present adds the DNS record for a challenge.
func (s *Solver) Present(ctx context.Context, _ cmapi.GenericIssuer, ch *cmacme.Challenge) error {
	request, err := s.request(ctx, ch)
	if err != nil {
		return err
	}
	return s.updates.Present(request)
}

// Check returns an error until the DNS record can be resolved. Upstream then also waits for the
// record's time to live, a minute.
func (s *Solver) Check(ctx context.Context, _ cmapi.GenericIssuer, ch *cmacme.Challenge) error {
	fqdn, err := util.DNS01LookupFQDN(ctx, ch.Spec.DNSName, false, s.DNS01Nameservers...)
	if err != nil {
		return err
	}
	there, err := util.PreCheckDNS(ctx, fqdn, ch.Spec.Key, s.DNS01Nameservers, s.DNS01CheckAuthoritative)
	if err == nil && !there {
		err = fmt.Errorf("DNS record for %q not yet propagated", ch.Spec.DNSName)
	}
	return err
}

// CleanUp removes the DNS record.
func (s *Solver) CleanUp(ctx context.Context, ch *cmacme.Challenge) error {
	request, err := s.request(ctx, ch)
	if err != nil {
		return err
	}
	return s.updates.CleanUp(request)
}

// request returns the request for cert-manager's RFC 2136 solver, as cert-manager itself creates
// it.
func (s *Solver) request(ctx context.Context, ch *cmacme.Challenge) (*whapi.ChallengeRequest, error) {
	provider := ch.Spec.Solver.DNS01
	if provider == nil || provider.RFC2136 == nil {
		return nil, errOthers
	}
	fqdn, err := util.DNS01LookupFQDN(ctx, ch.Spec.DNSName,
		provider.CNAMEStrategy == cmacme.FollowStrategy, s.DNS01Nameservers...)
	if err != nil {
		return nil, err
	}
	zone, err := util.FindZoneByFqdn(ctx, fqdn, s.DNS01Nameservers)
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(provider.RFC2136)
	if err != nil {
		return nil, err
	}
	return &whapi.ChallengeRequest{
		Type: "dns-01", ResolvedFQDN: fqdn, ResolvedZone: zone, Key: ch.Spec.Key, DNSName: ch.Spec.DNSName,
		ResourceNamespace: s.ResourceNamespaceRef(ch.Spec.IssuerRef, ch.Namespace),
		Config:            &apiextensionsv1.JSON{Raw: config},
	}, nil
}
