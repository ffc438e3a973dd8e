package applications

import (
	"fmt"
	"strings"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// unsyncedSeconds is the number of seconds without a sync after which an Application may be Stuck.
// ArgoCD starts a sync within a second after a comparison, and a user's script within a few
// seconds.
const unsyncedSeconds = 10

// applicationsFacts describes ArgoCD Applications.
type applicationsFacts struct {
	kube.APIFault
	Applications []applicationSeen `json:"applications,omitempty"`
}

// applicationSeen describes one Application (argo-cd pkg/apis/application/v1alpha1/types.go). An
// Application's status has no observedGeneration; Compared and Unseen say whether it is current.
type applicationSeen struct {
	Name     string `json:"name"`
	Missing  bool   `json:"missing,omitempty"`
	Deleting bool   `json:"deleting,omitempty"`
	// Refreshing is true from the request for a refresh until the refresh is done.
	Refreshing bool `json:"refreshing,omitempty"`
	// Compared is true if the status is about the spec's present source (status.sync.comparedTo).
	Compared bool `json:"compared,omitempty"`
	// Unseen is true if ArgoCD has not compared since its last operation ended, so that the status
	// may be older than that operation.
	Unseen bool `json:"unseen,omitempty"`
	// Automated is true when ArgoCD syncs by itself.
	Automated bool   `json:"automated,omitempty"`
	Sync      string `json:"sync,omitempty"`
	Health    string `json:"health,omitempty"`
	// Phase and Message are the phase and the message of the Application's last sync operation.
	Phase   string `json:"phase,omitempty"`
	Message string `json:"message,omitempty"`
	// Errors are the error conditions, as Type and Message. Unhealthy are the resources that are
	// not Healthy.
	Errors    []kube.Condition `json:"errors,omitempty"`
	Unhealthy []string         `json:"unhealthy,omitempty"`
	// Seconds is the number of seconds for which these facts have been the same.
	Seconds int `json:"seconds,omitempty"`
	// Brings are the Application's descendant Applications, sorted by name.
	Brings []applicationSeen `json:"brings,omitempty"`
}

// judgeApplications judges whether each Application is Synced and Healthy, with its descendants.
func judgeApplications(spec Spec, f applicationsFacts) []health.Verdict {
	checks := make([]string, 0, len(spec.Names))
	for _, name := range spec.Names {
		checks = append(checks, "application "+spec.Namespace+"/"+name)
	}
	if f.Fault != nil {
		return f.FaultVerdicts(checks[0], checks[1:]...)
	}
	verdicts := make([]health.Verdict, 0, len(spec.Names))
	for i, name := range spec.Names {
		one := applicationNamed(f.Applications, name)
		v := judgeApplication(spec, one)
		if v.State == health.Ready {
			v = judgeBrought(spec, one, v)
		}
		v.Check = checks[i]
		verdicts = append(verdicts, v)
	}
	return verdicts
}

func applicationNamed(all []applicationSeen, name string) applicationSeen {
	for _, a := range all {
		if a.Name == name {
			return a
		}
	}
	return applicationSeen{Name: name, Missing: true}
}

func judgeApplication(spec Spec, a applicationSeen) health.Verdict {
	v := health.Verdict{State: health.Waiting,
		Hint: fmt.Sprintf("kubectl -n %s describe application %s", spec.Namespace, a.Name)}
	switch {
	case a.Missing:
		v.Message = "does not exist"
		v.Cause = "it is not applied yet, its CRD is not established, or the Application that makes it is not synced"
		v.Hint = fmt.Sprintf("kubectl -n %s get applications", spec.Namespace)
	case a.Deleting:
		v.Message, v.Cause = "is being deleted", "its finalizer deletes what it has deployed first"
	case a.Refreshing:
		v.Message = "a refresh is asked for and not done yet"
		v.Cause = "ArgoCD's application controller is busy, starting, or not running"
	case len(a.Errors) == 0 && !a.Compared:
		v.Message = "ArgoCD has not compared the source that it has now"
		v.Cause = "ArgoCD's application controller is starting, or not running"
	case a.Unseen:
		v.Message, v.Cause = "ArgoCD has not compared since its last sync ended: its health is "+
			"from before", "ArgoCD's application controller is busy, starting, or not running"
	case a.Compared && a.Sync == "Synced" && a.Health == "Healthy" && a.Phase != "Running" &&
		a.Phase != "Terminating":
		return syncedAndHealthy(spec, a)
	default:
		notSynced(&v, a)
	}
	return v
}

// syncedAndHealthy returns Ready, with a warning if the last sync failed, for example in a hook.
func syncedAndHealthy(spec Spec, a applicationSeen) health.Verdict {
	v := health.Verdict{State: health.Ready}
	if failedPhase(a.Phase) {
		v.Message = "Synced and Healthy, but its last sync ended with " + a.Phase + ": " +
			observe.OrNone(health.OneLine(a.Message))
		v.Hint = fmt.Sprintf("kubectl -n %s describe application %s", spec.Namespace, a.Name)
	}
	return v
}

func failedPhase(phase string) bool { return phase == "Failed" || phase == "Error" }

// notSynced completes the verdict with ArgoCD's reasons: error conditions first, then the last
// operation, then unhealthy resources.
func notSynced(v *health.Verdict, a applicationSeen) {
	v.Message = fmt.Sprintf("sync is %s, health is %s", observe.OrNone(a.Sync),
		observe.OrNone(a.Health))
	message := ""
	for _, c := range a.Errors {
		v.Evidence = append(v.Evidence, c.Type+": "+c.Message)
		message += c.Message + "\n"
	}
	if failedPhase(a.Phase) {
		v.Evidence = append(v.Evidence, "last operation "+a.Phase+": "+a.Message)
		message += a.Message
	}
	v.Evidence = append(v.Evidence, a.Unhealthy...)
	switch {
	case message != "":
		first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
		v.Message += ": " + kube.Innermost(health.OneLine(first))
		if known := causeOfSync(message); known.cause != "" {
			v.Cause, v.Hint = known.cause, known.hint
		}
	case a.Phase == "Running" || a.Phase == "Terminating":
		v.Message += ", an operation is " + strings.ToLower(a.Phase)
	case len(a.Unhealthy) > 0:
		v.Message += ": " + health.OneLine(a.Unhealthy[0])
	}
	hopeless(v, a)
}

// hopeless sets the verdict to Stuck if ArgoCD will not sync the Application by itself: a sync of
// this revision has failed and is not retried (controller/appcontroller.go autoSync), or automated
// sync is off.
func hopeless(v *health.Verdict, a applicationSeen) {
	if a.Seconds < unsyncedSeconds || !a.Compared {
		return
	}
	for _, c := range a.Errors {
		if c.Type == "SyncError" && strings.HasPrefix(c.Message, "Failed last sync attempt") &&
			failedPhase(a.Phase) {
			v.State = health.Stuck
			v.Hint = "ArgoCD does not try the same revision again: correct it in Git, or " +
				"argocd app sync " + a.Name + "; " + v.Hint
			return
		}
	}
	if a.Sync == "OutOfSync" && !a.Automated && len(a.Errors) == 0 && a.Phase != "Running" &&
		a.Phase != "Terminating" {
		v.State = health.Stuck
		v.Cause = "it is synced by hand only: it has no spec.syncPolicy.automated"
		v.Hint = "argocd app sync " + a.Name + ", or set spec.syncPolicy.automated"
	}
}
