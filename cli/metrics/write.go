package metrics

import (
	"fmt"
	"io"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// set holds the metrics of one file.
type set struct{ registry *prometheus.Registry }

func newSet() set { return set{prometheus.NewPedanticRegistry()} }

// gauge registers a gauge. Each sample must set a value for every label.
func (s set) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	gauge := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "strata", Name: name,
		Help: help}, labels)
	s.registry.MustRegister(gauge)
	return gauge
}

// write writes the metrics in Prometheus's text format.
func (s set) write(out io.Writer) error {
	families, err := s.registry.Gather()
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(out, family); err != nil {
			return fmt.Errorf("metrics: %w", err)
		}
	}
	return nil
}

// number returns a boolean as a sample: 1 or 0.
func number(truth bool) float64 {
	if truth {
		return 1
	}
	return 0
}
