// Package crds gates custom resource definitions: Established, and served by every API server.
package crds
