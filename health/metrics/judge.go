package metrics

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"strata/health"
	"strata/health/kube"
)

// metricsFacts describes the metrics of a Service.
type metricsFacts struct {
	kube.APIFault
	// Status is the HTTP status through the API server's proxy. Error says why no metrics came.
	Status int    `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
	// Series are the Spec's series that have a sample, sorted.
	Series []string `json:"series,omitempty"`
}

func seriesCheck(s Spec) string { return "metrics " + s.Namespace + "/" + s.Service }

// judgeSeries judges whether Prometheus would find every series.
func judgeSeries(spec Spec, f metricsFacts) []health.Verdict {
	v := health.Verdict{Check: seriesCheck(spec), State: health.Waiting,
		Hint: "kubectl get --raw " + metricsProxy(spec)}
	if f.Fault != nil {
		return f.FaultVerdicts(v.Check)
	}
	var missing []string
	for _, name := range spec.Series {
		if !slices.Contains(f.Series, name) {
			missing = append(missing, name)
		}
	}
	switch {
	case f.Error != "":
		v.Message = fmt.Sprintf("expected metrics, found HTTP %d: %s", f.Status,
			health.OneLine(f.Error))
		v.Cause = metricsCause(f.Status)
	case len(missing) > 0:
		v.Message = fmt.Sprintf("%d of %d series are there, not %s", len(spec.Series)-len(missing),
			len(spec.Series), strings.Join(missing, ", "))
		v.Cause = "the plugin that counts is not on, or nothing was asked yet"
	default:
		return []health.Verdict{{Check: v.Check, State: health.Ready,
			Message: fmt.Sprintf("%d series", len(spec.Series))}}
	}
	return []health.Verdict{v}
}

func metricsCause(status int) string {
	switch status {
	case http.StatusServiceUnavailable, http.StatusBadGateway:
		return "no Pod behind the Service is ready, or none listens on its port"
	case http.StatusNotFound:
		return "there is no such Service, or it has its metrics elsewhere"
	default:
		return ""
	}
}

// metricsProxy returns the path of the metrics through an API server.
func metricsProxy(s Spec) string {
	return fmt.Sprintf("/api/v1/namespaces/%s/services/%s:%d/proxy%s", s.Namespace, s.Service,
		s.Port, s.Path)
}

// findSeries returns the wanted series that have a sample in Prometheus' text format. A histogram's
// series must be named in full. A comment that mentions a series is no sample.
func findSeries(text string, wanted []string) []string {
	var found []string
	for line := range strings.Lines(text) {
		name := line
		if end := strings.IndexAny(line, "{ \t"); end >= 0 {
			name = line[:end]
		}
		if slices.Contains(wanted, name) && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}
