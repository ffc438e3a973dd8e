package watchers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"strata/internal/kube/apiserver"
)

const (
	// ageLimit bounds the wait for an API server that returns its age. answerLimit bounds one
	// request.
	ageLimit    = time.Minute
	answerLimit = 6 * time.Second
)

// Watchers represents the clients in a cluster that watch its API servers, such as ingress
// controllers and kube-proxy.
type Watchers struct {
	kubeconfig []byte
	// servers lists the URLs of the API servers.
	servers []string
}

// New returns the Watchers of a kubeconfig's cluster. servers lists the URLs of its API servers. It
// sends no request.
func New(kubeconfig string, servers []string) (*Watchers, error) {
	_, err := apiserver.Access{Kubeconfig: []byte(kubeconfig), Servers: servers}.Config()
	return &Watchers{[]byte(kubeconfig), servers}, err
}

// Wait waits until the clients watch a restarted API server again. A client that does not watch yet
// keeps sending requests to Pods that are replaced meanwhile. One server of age AgainAfter is
// enough, because the clients of restarted servers connect to that server at once. say receives the
// reason for each wait.
func (w *Watchers) Wait(ctx context.Context, say func(string)) error {
	for {
		age, err := w.longest(ctx)
		status := apierrors.APIStatus(nil)
		switch {
		case errors.As(err, &status):
			say(fmt.Sprintf("the API server does not say how long it has run (%s): Pods that "+
				"serve are replaced in %s, when everything surely watches it",
				status.Status().Message, AgainAfter))
			return pause(ctx, AgainAfter)
		case err != nil || age >= AgainAfter:
			return err
		}
		left := (AgainAfter - age).Truncate(time.Second) + time.Second // the server's clock has whole seconds
		say(fmt.Sprintf("the API server began %s ago: Pods that serve are replaced in %s, when "+
			"everything watches it again", age.Round(time.Second), left))
		if err := pause(ctx, left); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("the API server may not be watched yet: %w", ctx.Err())
	case <-timer.C:
		return nil
	}
}

// longest returns the greatest age of the servers. It fails if no server answers.
func (w *Watchers) longest(ctx context.Context) (age time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, ageLimit)
	defer cancel()
	err = apiserver.Insist(ctx, func(ctx context.Context) error {
		var first error
		answered := false
		for _, server := range w.servers {
			one, err := w.age(ctx, server)
			if err != nil && first == nil {
				first = fmt.Errorf("%s: %w", server, err)
			}
			answered, age = answered || err == nil, max(age, one)
		}
		if answered {
			return nil
		}
		return first
	})
	if err != nil {
		return 0, fmt.Errorf("before Pods that serve are replaced: none of the API servers %s "+
			"said how long it has run, which was asked for %s at most: %w; strata health -s "+
			"STACK says which gates hold",
			strings.Join(w.servers, ", "), ageLimit, err)
	}
	return age, nil
}

func (w *Watchers) age(ctx context.Context, server string) (time.Duration, error) {
	client, err := apiserver.Access{Kubeconfig: w.kubeconfig, Servers: []string{server},
		Timeout: answerLimit}.Client()
	if err != nil {
		return 0, err
	}
	return Age(ctx, client)
}
