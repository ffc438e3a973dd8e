package watchers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// AgainAfter is the age of an API server at which all clients watch it again. client-go retries a
// lost watch with a backoff of up to 30 s, which jitter may double (k8s.io/client-go
// tools/cache/reflector.go, NewReflectorWithOptions). The rest of the time is for the server's
// start.
const AgainAfter = 90 * time.Second

// startMetric is the metric with a process's start, in seconds since 1970. Prometheus' client
// libraries export it.
const startMetric = "process_start_time_seconds"

// Age returns the time since the start of the API server that client connects to, by the server's
// clock. It returns AgainAfter, so that the caller does not wait, if the server does not show its
// metrics, as on some existing clusters. It also returns AgainAfter if the cluster was created
// after the server's start, because no client watched the server before.
func Age(ctx context.Context, client kubernetes.Interface) (time.Duration, error) {
	text, now, err := metrics(ctx, client)
	if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsUnauthorized(err) {
		return AgainAfter, nil
	}
	if err != nil {
		return 0, fmt.Errorf("metrics of the API server: %w", err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return 0, fmt.Errorf("metrics of the API server: %w", err)
	}
	metric := families[startMetric].GetMetric()
	if len(metric) == 0 {
		return AgainAfter, nil
	}
	start := time.UnixMilli(int64(metric[0].GetGauge().GetValue() * 1000))
	if age := now.Sub(start); age >= AgainAfter {
		return age, nil
	}
	// Kubernetes creates this namespace before everything else.
	first, err := client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return 0, fmt.Errorf("namespace %s: %w", metav1.NamespaceSystem, err)
	}
	if first.CreationTimestamp.After(start) {
		return AgainAfter, nil
	}
	return now.Sub(start), nil
}

// metrics returns the API server's own metrics, and its time.
func metrics(ctx context.Context, client kubernetes.Interface) (text []byte, now time.Time,
	err error) {
	api, is := client.CoreV1().RESTClient().(*rest.RESTClient)
	if !is {
		return nil, now, fmt.Errorf("%T is no client of a cluster", client)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		api.Get().AbsPath("/metrics").URL().String(), nil)
	if err != nil {
		return nil, now, err
	}
	response, err := api.Client.Do(request)
	if err != nil {
		return nil, now, err
	}
	defer response.Body.Close() //nolint:errcheck // It was only read.
	if response.StatusCode != http.StatusOK {
		return nil, now, apierrors.NewGenericServerResponse(response.StatusCode, "get",
			schema.GroupResource{}, "metrics", "", 0, false)
	}
	if now, err = http.ParseTime(response.Header.Get("Date")); err != nil {
		return nil, now, fmt.Errorf("time of the answer: %w", err)
	}
	text, err = io.ReadAll(response.Body)
	return text, now, err
}
