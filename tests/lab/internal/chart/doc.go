// Package chart packages a Helm chart's folder as the .tgz that Helm installs. Helm's own packaging
// writes the time of day into the file; here equal charts give equal bytes.
package chart
