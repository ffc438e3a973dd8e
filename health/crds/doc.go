// Package crds gates CRDs: each must be Established, and served by every API server.
package crds
