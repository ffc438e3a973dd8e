// Package metrics writes runs and verdicts for Prometheus, as text files for node_exporter's
// textfile collector (https://github.com/prometheus/node_exporter#textfile-collector). It measures
// nothing itself.
//
// Units are seconds. Every file describes one moment, so all metrics are gauges. Metrics of a run
// have the labels stack and operation. So files of several stacks, and of an update and a destroy,
// can be in one folder: the collector refuses a series that two files have.
package metrics
