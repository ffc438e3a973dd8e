package components

import (
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/health"
	"strata/health/applications"
	"strata/health/crds"
	"strata/health/namespace"
	"strata/health/waitfor"
)

const argocdRoot = "root"

// root registers the root Application and the gate that waits until all its resources exist and are
// healthy. Everything below it is Argo CD's: Strata owns this one object, so the two never write to
// the same one.
func (a *argocd) root() error {
	root := a.args.Config.Root
	if root.RepoURL == "" {
		return nil
	}
	// The release has just created the definitions; an Application before they are served is "no
	// matches for kind".
	served, err := a.gate("crds", gateArgs{
		Spec: health.Spec{
			Timeout: a.Timeouts.CRDs, TimeoutKey: "strata:timeouts.crds",
			Revision: a.release.chart.SHA256,
			Body: crds.Spec{Names: []string{"applications.argoproj.io",
				"appprojects.argoproj.io"}},
		},
	}, a.release.object)
	if err != nil {
		return err
	}
	needs := []pulumi.Resource{served}
	if root.Username != "" {
		login, err := a.repository(root)
		if err != nil {
			return fmt.Errorf("repository: %w", err)
		}
		needs = append(needs, login)
	}
	application, err := a.application(root, needs)
	if err != nil {
		return err
	}
	_, err = a.gate("applications", gateArgs{Spec: health.Spec{
		Revision: digestOf(root.RepoURL, root.Path, root.Revision),
		Body:     applications.Spec{Namespace: argocdNamespace, Names: []string{argocdRoot}},
	}}, application)
	return err
}

// repository registers the Secret by which Argo CD logs in (argo-cd
// docs/operator-manual/declarative-setup.md, Repositories).
func (a *argocd) repository(root config.ArgoCDRoot) (pulumi.Resource, error) {
	secret := func(text string) pulumi.Input { return pulumi.ToSecret(pulumi.String(text)) }
	return newSecret(a.ctx, a.args.Cluster, a.name+"-repository", secretArgs{
		name: "repository-root", namespace: argocdNamespace,
		labels: pulumi.StringMap{"argocd.argoproj.io/secret-type": pulumi.String("repository")},
		data: pulumi.Map{
			"type": pulumi.String("git"), "url": pulumi.String(root.RepoURL),
			"username": secret(root.Username), "password": secret(root.Password),
		},
	}, childOf(a, a.namespace)...)
}

// application registers the root Application. Its finalizer takes its resources with it; Argo CD is
// still there then, because the application depends on the release and goes first.
func (a *argocd) application(
	root config.ArgoCDRoot, needs []pulumi.Resource,
) (pulumi.Resource, error) {
	return a.object("root", customResource{
		apiVersion: "argoproj.io/v1alpha1", kind: "Application", name: argocdRoot,
		namespace:  argocdNamespace,
		wait:       applicationWait(a.args.Timeouts.ArgoCD.Duration),
		finalizers: []string{namespace.ArgoFinalizer},
		spec: pulumi.Map{
			"project": pulumi.String("default"),
			"source": pulumi.Map{
				"repoURL": pulumi.String(root.RepoURL), "path": pulumi.String(root.Path),
				"targetRevision": pulumi.String(root.Revision),
			},
			"destination": pulumi.Map{
				"server":    pulumi.String("https://kubernetes.default.svc"),
				"namespace": pulumi.String(argocdNamespace),
			},
			"syncPolicy": pulumi.Map{"automated": pulumi.Map{"prune": pulumi.Bool(true),
				"selfHeal": pulumi.Bool(true)}},
		},
	}, needs...)
}

// applicationWait holds the Application until Argo CD has brought everything, and all of it is
// healthy.
func applicationWait(limit time.Duration) pulumi.StringMap {
	return pulumi.ToStringMap(waitfor.Combine(
		waitfor.Equals("{.status.sync.status}", "Synced"),
		waitfor.Equals("{.status.health.status}", "Healthy"),
	).Annotations(limit))
}
