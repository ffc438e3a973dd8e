// Package metrics gates the metrics of a Service in the cluster: each expected series has a sample.
package metrics
