#!/bin/sh
# Build the lab's k3s as one static binary that reports K3s's version.
#
# usage: build.sh OUT
#   PAUSE_IMAGE, COREDNS_IMAGE, METRICS_IMAGE  references the packaged manifests run (default: K3s v1.34.2's)
set -eu

version=v1.34.2+k3s1
[ $# -eq 1 ] || {
	printf 'build.sh: expected one argument, the file to write (usage: build.sh OUT)\n' >&2
	exit 1
}
out=$(realpath -m -- "$1")
cd "$(dirname -- "$0")"

v=k8s.io/component-base/version
c=k8s.io/client-go/pkg/version
flags="-s -w -X $v.gitVersion=$version -X $v.gitMajor=1 -X $v.gitMinor=34 -X $v.gitTreeState=clean"
flags="$flags -X $c.gitVersion=$version -X $c.gitMajor=1 -X $c.gitMinor=34"
s=strata/tests/lab/k3s/internal/server
[ -z "${PAUSE_IMAGE-}" ] || flags="$flags -X $s.PauseImage=$PAUSE_IMAGE"
[ -z "${COREDNS_IMAGE-}" ] || flags="$flags -X $s.CoreDNSImage=$COREDNS_IMAGE"
[ -z "${METRICS_IMAGE-}" ] || flags="$flags -X $s.MetricsImage=$METRICS_IMAGE"

CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags "$flags" -o "$out" .
