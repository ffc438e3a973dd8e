// Package chart packages a folder as a Helm chart (.tgz). Helm's own packaging writes the current
// time into the file. This package gives equal bytes for equal charts.
package chart
