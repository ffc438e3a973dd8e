package steps

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"strata/internal/apiserver"
	"strata/internal/canary"
)

// watchedAfter is how long after its start an API server is surely watched again. client-go looks for one that was away after pauses of up to 30 s,
// each made up to twice as long by chance (k8s.io/client-go tools/cache/reflector.go, NewReflectorWithOptions); the rest is what the
// server takes until it answers.
const watchedAfter = 90 * time.Second

// startMetric is when a process began, in seconds since 1970: every program with Prometheus' client has it.
const startMetric = "process_start_time_seconds"

// watched waits until an API server that has just begun, as after a restore, is watched again. An ingress controller that does not watch yet
// knows neither the weight nor the new version's Pods: what it sends to the Pods before is answered with 502, and would count against this one.
func watched(ctx context.Context, spec canary.Spec, w world, say func(string, ...any)) error {
	age, err := w.Age(ctx)
	if err != nil || age >= watchedAfter {
		return err
	}
	say("the API server began %s ago: in %s every ingress controller watches it again; nothing goes to %s until then", age.Round(time.Second), (watchedAfter - age).Round(time.Second), spec.Canary)
	if err := w.Pause(ctx, watchedAfter-age); err != nil {
		return fmt.Errorf("canary %s/%s: the API server began %s ago, and ingress controllers may not watch it yet: %w", spec.Namespace, spec.Canary, age.Round(time.Second), err)
	}
	return nil
}

// Age implements world. Where its metrics are not shown, as on some existing clusters, it counts as one that has run for long.
func (c *cluster) Age(ctx context.Context) (time.Duration, error) {
	var text []byte
	err := apiserver.Insist(ctx, func(ctx context.Context) (err error) {
		text, err = c.client.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
		return err
	})
	if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsUnauthorized(err) {
		return watchedAfter, nil
	}
	if err != nil {
		return 0, fmt.Errorf("metrics of the API server: %w", err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return 0, fmt.Errorf("metrics of the API server: %w", err)
	}
	for _, metric := range families[startMetric].GetMetric() {
		return time.Since(time.UnixMilli(int64(metric.GetGauge().GetValue() * 1000))), nil
	}
	return watchedAfter, nil
}
