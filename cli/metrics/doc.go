// Package metrics owns how runs and verdicts are written for Prometheus: as text files that
// node_exporter's textfile collector reads
// (https://github.com/prometheus/node_exporter#textfile-collector). It measures nothing itself.
//
// Units are seconds. Every file is of one moment, so all are gauges; what there is of a run has the
// labels stack and operation, so that files of several stacks and of an up and a destroy can lie
// side by side: the collector refuses a series that two files have.
package metrics
