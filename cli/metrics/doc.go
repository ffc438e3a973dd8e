// Package metrics writes the durations of runs and the results of gates as text files for
// node_exporter's textfile collector
// (https://github.com/prometheus/node_exporter#textfile-collector). It measures nothing itself.
//
// Units are seconds. Every file describes one moment, so all metrics are gauges. Metrics of a run
// have the labels stack and operation. So one folder can hold the files of several stacks, and of
// an update and a destroy: the collector refuses a series that is in two files.
package metrics
