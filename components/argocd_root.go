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

// root registers the root Application and the gate that passes once all its resources exist and are
// healthy. It does nothing if no repository is configured. Argo CD owns all objects that the root
// Application creates, so Strata and Argo CD never write to the same object.
func (a *argocd) root() error {
	root := a.args.Config.Root
	if root.RepoURL == "" {
		return nil
	}
	// The release has just created the CRDs. Until the API servers serve them, an Application fails
	// with "no matches for kind".
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

// repository registers the Secret with the login that Argo CD uses to read the repository (argo-cd
// docs/operator-manual/declarative-setup.md, Repositories).
func (a *argocd) repository(root config.ArgoCDRoot) (pulumi.Resource, error) {
	secret := func(text string) pulumi.Input { return pulumi.ToSecret(pulumi.String(text)) }
	return newSecret(a.ctx, a.args.Cluster, a.name+"-repository", secretArgs{
		name: "repository-root", namespace: argocdNamespace,
		labels: pulumi.StringMap{"argocd.argoproj.io/secret-type": pulumi.String("repository")},
		data: object{
			"type": "git", "url": root.RepoURL,
			"username": secret(root.Username), "password": secret(root.Password),
		},
	}, childOf(a, a.namespace)...)
}

// application registers the root Application. Its finalizer makes Argo CD delete the Application's
// resources before the Application. Argo CD still runs then, because the Application depends on the
// release and so is deleted first.
func (a *argocd) application(
	root config.ArgoCDRoot, needs []pulumi.Resource,
) (pulumi.Resource, error) {
	return a.object("root", customResource{
		apiVersion: "argoproj.io/v1alpha1", kind: "Application", name: argocdRoot,
		namespace:  argocdNamespace,
		wait:       applicationWait(a.args.Timeouts.ArgoCD.Duration),
		finalizers: []string{namespace.ArgoFinalizer},
		spec: object{
			"project": "default",
			"source": object{
				"repoURL": root.RepoURL, "path": root.Path, "targetRevision": root.Revision,
			},
			"destination": object{
				"server":    "https://kubernetes.default.svc",
				"namespace": argocdNamespace,
			},
			"syncPolicy": object{"automated": object{"prune": true, "selfHeal": true}},
		},
	}, needs...)
}

// applicationWait returns annotations that make Pulumi wait until the Application is Synced and
// Healthy.
func applicationWait(limit time.Duration) pulumi.StringMap {
	return pulumi.ToStringMap(waitfor.Combine(
		waitfor.Equals("{.status.sync.status}", "Synced"),
		waitfor.Equals("{.status.health.status}", "Healthy"),
	).Annotations(limit))
}
