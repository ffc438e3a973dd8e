package applications

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/kube"
	"strata/health/observe"
)

func (w *applicationsWatch) read(
	ctx context.Context, s *kube.APIServer,
) (facts applicationsFacts, err error) {
	for _, name := range w.spec.Names {
		object, err := kube.Get[applicationObject](ctx, s, applicationResource, w.spec.Namespace,
			name)
		if err != nil {
			return facts, err
		}
		seen := object.facts(name)
		if seen.Brings, err = w.listDescendants(ctx, s, object); err != nil {
			return facts, err
		}
		facts.Applications = append(facts.Applications, seen)
	}
	for i := range facts.Applications {
		one := &facts.Applications[i]
		for j := range one.Brings {
			w.setSeconds(&one.Brings[j])
		}
		w.setSeconds(one)
	}
	return facts, nil
}

// refreshAnnotation requests a new comparison; ArgoCD's controller removes it afterwards.
const refreshAnnotation = "argocd.argoproj.io/refresh"

// applicationSource has the fields that identify a source. Other fields are omitted, because
// ArgoCD's status may have them in another form than the spec.
type applicationSource struct {
	RepoURL        string `json:"repoURL"`
	Path           string `json:"path"`
	TargetRevision string `json:"targetRevision"`
	Chart          string `json:"chart"`
}

// applicationObject holds the fields of an Application that a gate reads.
type applicationObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Source     applicationSource   `json:"source"`
		Sources    []applicationSource `json:"sources"`
		Hydrator   map[string]any      `json:"sourceHydrator"`
		SyncPolicy struct {
			Automated *struct {
				Enabled *bool `json:"enabled"`
			} `json:"automated"`
		} `json:"syncPolicy"`
	} `json:"spec"`
	Status struct {
		Sync struct {
			Status     string `json:"status"`
			ComparedTo struct {
				Source  applicationSource   `json:"source"`
				Sources []applicationSource `json:"sources"`
			} `json:"comparedTo"`
		} `json:"sync"`
		Health struct {
			Status string `json:"status"`
		} `json:"health"`
		OperationState struct {
			Phase      string      `json:"phase"`
			Message    string      `json:"message"`
			FinishedAt metav1.Time `json:"finishedAt"`
		} `json:"operationState"`
		// ReconciledAt is the time of ArgoCD's last comparison.
		ReconciledAt metav1.Time        `json:"reconciledAt"`
		Conditions   []kube.Condition   `json:"conditions"`
		Resources    []deployedResource `json:"resources"`
	} `json:"status"`
}

// deployedResource is one resource of an Application.
type deployedResource struct {
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Health    struct {
		Status  string `json:"status"`
		Message string `json:"message"`
	} `json:"health"`
}

// errorConditions are the types of conditions that are errors; the others are warnings.
var errorConditions = []string{"InvalidSpecError", "ComparisonError", "SyncError", "UnknownError",
	"DeletionError"}

// unhealthyShown limits the unhealthy resources in the evidence.
const unhealthyShown = 3

func (o *applicationObject) facts(name string) applicationSeen {
	if o == nil {
		return applicationSeen{Name: name, Missing: true}
	}
	_, refreshing := o.Annotations[refreshAnnotation]
	automated := o.Spec.SyncPolicy.Automated
	seen := applicationSeen{
		Name: name, Deleting: o.DeletionTimestamp != nil, Refreshing: refreshing,
		Compared:  o.isSourceCompared(),
		Automated: automated != nil && (automated.Enabled == nil || *automated.Enabled),
		Sync:      o.Status.Sync.Status, Health: o.Status.Health.Status,
		Phase: o.Status.OperationState.Phase, Message: publicText(o.Status.OperationState.Message),
		Unseen: o.unseen(),
	}
	for _, c := range o.Status.Conditions {
		if slices.Contains(errorConditions, c.Type) {
			seen.Errors = append(seen.Errors,
				kube.Condition{Type: c.Type, Message: publicText(c.Message)})
		}
	}
	for _, r := range o.Status.Resources {
		if r.Health.Status != "" && r.Health.Status != "Healthy" &&
			len(seen.Unhealthy) < unhealthyShown {
			seen.Unhealthy = append(seen.Unhealthy,
				fmt.Sprintf("%s %s/%s is %s: %s", r.Kind, r.Namespace, r.Name, r.Health.Status,
					observe.OrNone(publicText(r.Health.Message))))
		}
	}
	return seen
}

// unseen reports whether ArgoCD has not compared since its last operation ended. Until this
// comparison, the status has the health from before the operation (argo-cd
// controller/appcontroller.go, requestAppRefresh after a completed operation). Both times are in
// whole seconds, so equal times count as compared.
func (o *applicationObject) unseen() bool {
	at, ended := o.Status.ReconciledAt, o.Status.OperationState.FinishedAt
	return !at.IsZero() && !ended.IsZero() && at.Time.Before(ended.Time)
}

// isSourceCompared reports whether the status is about the spec's present source. With a hydrator,
// any compared source counts, because ArgoCD compares the hydrated manifests' source instead.
func (o *applicationObject) isSourceCompared() bool {
	to := o.Status.Sync.ComparedTo
	switch {
	case o.Spec.Hydrator != nil:
		return to.Source != applicationSource{}
	case len(o.Spec.Sources) > 0:
		return slices.Equal(to.Sources, o.Spec.Sources)
	default:
		return to.Source == o.Spec.Source && to.Source != applicationSource{}
	}
}

// credentialsInURL matches user and password of a URL, which Git repeats in its errors.
var credentialsInURL = regexp.MustCompile(`://[^/@\s"']+@`)

// publicText returns a message without credentials.
func publicText(message string) string {
	return kube.Stable(credentialsInURL.ReplaceAllString(message, "://…@"))
}
