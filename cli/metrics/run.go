package metrics

import (
	"io"
	"time"

	"strata/cli/timeline"
)

// WriteRun writes the durations of a run, its layers, its resources and its gates as metrics.
func WriteRun(out io.Writer, run timeline.Run) error {
	s := newSet()
	s.totals(run)
	s.layers(run)
	s.resources(run)
	s.gates(run)
	return s.write(out)
}

// totals adds the metrics of the run as a whole.
func (s set) totals(run timeline.Run) {
	one := func(name, help string, value float64) {
		s.gauge(name, help, "stack", "operation").WithLabelValues(run.Stack,
			run.Operation).Set(value)
	}
	one("run_duration_seconds", "From the first resource's start to the last one's end.",
		run.Wall.Seconds())
	one("run_critical_path_seconds", "The longest chain of resources that need each other.",
		run.Path.Seconds())
	one("run_serial_seconds", "What all resources would have taken in a row.", run.Serial.Seconds())
	one("run_gate_wait_seconds", "How long gates waited, all together.", run.Gates.Seconds())
	one("run_success",
		"1 if the run did all that it was to, 0 if a resource failed or the run was killed.",
		number(!run.HasFailed()))
	one("run_start_timestamp_seconds", "When the run began, as Unix time.", unix(run.Start))
	one("run_end_timestamp_seconds", "When the run ended, as Unix time.", unix(run.End))
}

func (s set) layers(run timeline.Run) {
	duration := s.gauge("layer_duration_seconds",
		"From the layer's first resource's start to its last one's end.", "stack", "operation",
		"layer")
	serial := s.gauge("layer_serial_seconds",
		"What the layer's resources would have taken in a row.",
		"stack", "operation", "layer")
	for _, layer := range run.Layers {
		duration.WithLabelValues(run.Stack, run.Operation, layer.Name).Set(layer.Wall.Seconds())
		serial.WithLabelValues(run.Stack, run.Operation, layer.Name).Set(layer.Serial.Seconds())
	}
}

// resources adds the metrics of resources. The metrics have labels for name and type, because two
// resources of different types may have the same name.
func (s set) resources(run timeline.Run) {
	duration := s.gauge("resource_duration_seconds", "How long the engine worked on a resource.",
		"stack", "operation", "layer", "type", "resource", "action")
	failed := s.gauge("resource_failed", "1 for a resource that failed in the run.", "stack",
		"operation", "layer", "type", "resource", "action")
	for _, bar := range run.Bars {
		labels := []string{run.Stack, run.Operation, bar.Layer, bar.Type, bar.Name, bar.Op}
		duration.WithLabelValues(labels...).Set(bar.Duration().Seconds())
		if bar.Failed {
			failed.WithLabelValues(labels...).Set(1)
		}
	}
}

// gates adds the metrics of the gates that ran in this run.
func (s set) gates(run timeline.Run) {
	labels := []string{"stack", "operation", "layer", "kind", "gate"}
	duration := s.gauge("gate_duration_seconds", "How long a gate waited in the run.", labels...)
	opened := s.gauge("gate_opened",
		"1 for a gate that opened in the run, 0 for one that failed or was cut off.", labels...)
	lag := s.gauge("gate_lag_seconds", "From when a gate saw what decided to the end of its resource.", labels...)
	delay := s.gauge("reconcile_delay_seconds",
		"From when the last of what a gate needs was applied to when the gate saw it work, by the gate's kind.",
		labels...)
	for _, bar := range run.Bars {
		if !bar.IsObserved() {
			continue
		}
		values := []string{run.Stack, run.Operation, bar.Layer, bar.Kind, bar.Name}
		duration.WithLabelValues(values...).Set(bar.Duration().Seconds())
		opened.WithLabelValues(values...).Set(number(!bar.Failed && !bar.Open))
		if bar.Lag != nil {
			lag.WithLabelValues(values...).Set(bar.Lag.Seconds())
		}
		if !bar.Failed && !bar.Open {
			delay.WithLabelValues(values...).Set((bar.Delay + bar.Duration()).Seconds())
		}
	}
}

func unix(at time.Time) float64 { return float64(at.UnixNano()) / float64(time.Second) }
