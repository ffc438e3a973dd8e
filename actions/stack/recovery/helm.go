package recovery

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"strata/internal/kube/apiserver"
	"strata/internal/kube/helmrecord"
	"strata/internal/pulumi/stackstate"
)

const (
	// apiTimeout bounds each request. An API server under load takes seconds; one that is down must
	// not block the recovery.
	apiTimeout = 30 * time.Second
	// abandoned is the age from which a pending revision counts as abandoned if nothing shows who
	// started it. Helm's default timeout is 5 minutes.
	abandoned = 15 * time.Minute
)

// release describes a Helm release of the stack.
type release struct {
	namespace, name string
	// known is true if the state contains the release, interrupted if an operation on it is pending
	// there.
	known, interrupted bool
}

func (r release) String() string { return "release " + r.namespace + "/" + r.name }

// releases returns the Helm releases of the state and of its pending operations.
func (s state) releases() []release {
	var found []release
	add := func(r stackstate.Resource, known, interrupted bool) {
		if r.Type != stackstate.HelmRelease || property(r, "name") == "" {
			return
		}
		one := release{namespace: property(r, "namespace"), name: property(r, "name"), known: known,
			interrupted: interrupted}
		if one.namespace == "" {
			one.namespace = "default"
		}
		for i := range found {
			if found[i].namespace == one.namespace && found[i].name == one.name {
				found[i].known = found[i].known || known
				found[i].interrupted = found[i].interrupted || interrupted
				return
			}
		}
		found = append(found, one)
	}
	for _, r := range s.Resources {
		add(r, true, false)
	}
	for _, pending := range s.Pending {
		add(pending.Resource, pending.Type != apitype.OperationTypeCreating, true)
	}
	return found
}

// repairReleases cleans up interrupted Helm operations, because Helm refuses every later operation
// on their releases. runStarted is the start of the dead run.
func (r *Recovery) repairReleases(ctx context.Context, s state, runStarted time.Time) error {
	kubeconfig, releases := s.kubeconfig(), s.releases()
	if kubeconfig == "" || len(releases) == 0 {
		return nil
	}
	client, err := apiserver.Access{Kubeconfig: []byte(kubeconfig), Timeout: apiTimeout}.Client()
	if err != nil {
		return fmt.Errorf("the state's cluster: %w", err)
	}
	if r.Reach != nil {
		done, err := r.Reach(ctx, s.State)
		if err != nil {
			return err
		}
		defer done()
	}
	for _, one := range releases {
		if err := r.repair(ctx, client, one, runStarted); err != nil {
			return fmt.Errorf("%s: %w", one, err)
		}
	}
	return nil
}

// repair cleans up the unfinished revisions of a release that an interrupted run left behind. If
// the state does not contain the release, repair deletes only Helm's record; the next install then
// adopts the objects by their release annotations. Otherwise it marks a pending revision as failed,
// as Helm does itself, so that the next upgrade starts from the last good revision.
func (r *Recovery) repair(
	ctx context.Context, client kubernetes.Interface, one release, runStarted time.Time,
) error {
	list, err := client.CoreV1().Secrets(one.namespace).
		List(ctx, metav1.ListOptions{LabelSelector: helmrecord.Selector(one.name)})
	if err != nil {
		return err
	}
	revisions := list.Items
	slices.SortFunc(revisions, func(a, b corev1.Secret) int {
		return helmrecord.Revision(a) - helmrecord.Revision(b)
	})
	for i := range revisions {
		secret := &revisions[i]
		status := secret.Labels["status"]
		what := fmt.Sprintf("revision %d of %s (%s)", helmrecord.Revision(*secret), one, status)
		switch reason := ownerLives(secret, one, runStarted); {
		case one.known && !strings.HasPrefix(status, "pending-"):
		case reason != "":
			r.left(what, reason)
		default:
			if err := r.giveUp(ctx, client, secret, one.known, what); err != nil {
				return err
			}
		}
	}
	return nil
}

// giveUp cleans up one revision: it marks the revision as failed if the state knows the release,
// and deletes the record otherwise. what names the revision in the log.
func (r *Recovery) giveUp(
	ctx context.Context, client kubernetes.Interface, secret *corev1.Secret, known bool,
	what string,
) error {
	if r.claim != nil {
		if err := r.claim(ctx); err != nil {
			return err
		}
	}
	if known {
		if err := MarkFailed(ctx, client, secret); err != nil {
			return err
		}
		r.did("marked %s as failed; the next up upgrades from the last good one", what)
		return nil
	}
	err := client.CoreV1().Secrets(secret.Namespace).Delete(ctx, secret.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &secret.UID,
			ResourceVersion: &secret.ResourceVersion},
	})
	if err != nil {
		return err
	}
	r.did("removed the record of %s; the next up installs over its objects", what)
	return nil
}

// ownerLives returns the reason why a revision must not be cleaned up: a running Helm may still
// write it, or it does not belong to the stack. It returns "" if the revision may be cleaned up.
func ownerLives(secret *corev1.Secret, one release, runStarted time.Time) string {
	pending := strings.HasPrefix(secret.Labels["status"], "pending-")
	ours := !runStarted.IsZero() && !secret.CreationTimestamp.Time.Before(
		runStarted.Truncate(time.Second))
	switch {
	case ours:
		return ""
	case !pending && secret.Labels["status"] != "failed":
		return "it is older than the interrupted run, so this run did not install it; uninstall " +
			"it with helm or import it"
	case one.interrupted || time.Since(secret.CreationTimestamp.Time) > abandoned:
		return ""
	default:
		return fmt.Sprintf("it is younger than %s, and its helm may still run", abandoned)
	}
}

// MarkFailed marks a Helm revision as failed, in the record and in the label that Helm searches
// for. It fails with a conflict if the record has changed since it was read.
func MarkFailed(ctx context.Context, client kubernetes.Interface, secret *corev1.Secret) error {
	record, err := helmrecord.Decode(secret)
	if err != nil {
		return err
	}
	info, ok := record["info"].(map[string]any)
	if !ok {
		return fmt.Errorf("%s: the record has no info", secret.Name)
	}
	info["status"] = "failed"
	info["description"] = "interrupted; given up by strata"
	if secret.Data, err = helmrecord.Encode(record); err != nil {
		return fmt.Errorf("%s: %w", secret.Name, err)
	}
	secret.Labels["status"] = "failed"
	// The update has the resource version of the read, so it conflicts if Helm is still writing.
	_, err = client.CoreV1().Secrets(secret.Namespace).Update(ctx, secret, metav1.UpdateOptions{})
	return err
}
