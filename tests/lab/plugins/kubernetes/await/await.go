package await

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/lab/plugins/kubernetes/cluster"
)

// Progress receives the status line of a wait whenever it changes.
type Progress func(message string)

// rule is the readiness of one kind. Related objects come through the view.
type rule func(ctx context.Context, view *view) (ok bool, reasons []string, err error)

// Ready waits until the live object is ready and returns its last state. The
// inputs say how: skipAwait, waitFor, or the rule of the kind; a kind without a
// rule is ready at once. An error that is not a *Partial is a mistake in the
// waitFor annotation.
func Ready(
	ctx context.Context, c *cluster.Cluster, inputs, live *unstructured.Unstructured,
	timeout time.Duration, progress Progress,
) (*unstructured.Unstructured, error) {
	if Skipped(inputs) {
		return live, nil
	}
	check, late := builtin(live), timedOut
	if annotation := live.GetAnnotations()[waitFor]; annotation != "" {
		expressions, err := parse(annotation)
		if err != nil {
			return live, err
		}
		check, late = all(expressions), conditionTimedOut
	}
	if check == nil {
		return live, nil
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return wait(limited, newView(c, live), check, late, progress)
}

// ReadyNow looks once, for a refresh. waitFor does not count there.
func ReadyNow(ctx context.Context, c *cluster.Cluster, inputs, live *unstructured.Unstructured) error {
	check := builtin(live)
	if check == nil || Skipped(inputs) || !checkedOnRead(live) {
		return nil
	}
	view := newView(c, live)
	view.once = true
	ok, reasons, err := check(ctx, view)
	if ok || view.enough {
		return nil
	}
	if err != nil {
		reasons = append(reasons, err.Error())
	}
	return notInitialized(live, reasons)
}

// wait looks on every event until the rule holds, fails for good, or time is up.
func wait(
	ctx context.Context, view *view, check rule,
	late func(*unstructured.Unstructured, []string, error) *Partial, progress Progress,
) (*unstructured.Unstructured, error) {
	events := view.watch(ctx)
	progress = changes(progress)
	var last []string
	var failure error
	for {
		enough := view.enough
		ok, reasons, err := check(ctx, view)
		if ok {
			return view.object, nil
		}
		if ctx.Err() != nil {
			view.enough = enough // a read that the deadline cut off found nothing, which is no answer
		}
		var fatal *Partial
		if errors.As(err, &fatal) {
			return view.object, fatal
		}
		if ctx.Err() == nil {
			last, failure = reasons, err
			progress(view.line(reasons))
		}
		select {
		case <-ctx.Done():
			switch {
			case view.enough:
				return view.object, nil
			case errors.Is(ctx.Err(), context.DeadlineExceeded):
				return view.object, late(view.object, last, failure)
			}
			return view.object, cancelled(view.object, last)
		case event := <-events:
			view.apply(event)
		}
	}
}

// changes drops a line that was said already, and no line.
func changes(progress Progress) Progress {
	said := map[string]bool{"": true}
	return func(message string) {
		if !said[message] {
			said[message] = true
			progress(message)
		}
	}
}

// all holds when one state of the object satisfies every expression. What is
// missing is a status line only: the official plugin does not store it.
func all(expressions []expression) rule {
	return func(_ context.Context, view *view) (bool, []string, error) {
		for _, e := range expressions {
			ok, message, err := e.satisfied(view.object)
			if !ok {
				view.doing = message
				return false, nil, err
			}
		}
		return true, nil, nil
	}
}
