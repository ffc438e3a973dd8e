#!/bin/sh
# Builds the root file system of lab machines as a tar file: Debian bookworm with systemd, sshd,
# cloud-init and the container tools that Kubernetes needs. The image has nothing specific to one
# machine. Host key, machine-id, network and authorized keys are in each machine's own layer
# (machines/rootfs).
#
# usage: build.sh OUT.tar
#   SOURCE_DATE_EPOCH  time stamp of every file in the tar (default below); equal packages
#                      give equal bytes
#   SUITE              Debian release (default: bookworm)
#   APT_SOURCES        sources.list to install from (default: mmdebstrap's own for the suite)
set -eu

suite=${SUITE:-bookworm}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

die() {
	printf 'build.sh: %s\n' "$1" >&2
	exit 1
}

[ $# -eq 1 ] || die 'expected one argument, the tar to write (usage: build.sh OUT.tar)'
[ "$(id -u)" -eq 0 ] || die 'needs root to make a root file system (run it with sudo)'
command -v mmdebstrap >/dev/null || die 'mmdebstrap is missing (apt-get install mmdebstrap)'
out=$1
partial=$out.partial.$$
trap 'rm -f "$partial"' EXIT
trap 'exit 130' INT TERM

# packages.txt has one package per line, with its purpose after a #.
packages=$(sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$here/packages.txt" | paste -sd, -)

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1735689600}
export SOURCE_DATE_EPOCH

mmdebstrap --quiet --mode=root --format=tar --variant=minbase \
	--include="$packages" \
	--aptopt='Acquire::Languages "none"' \
	--dpkgopt='path-exclude=/usr/share/doc/*' \
	--dpkgopt='path-exclude=/usr/share/man/*' \
	--dpkgopt='path-exclude=/usr/share/info/*' \
	--dpkgopt='path-exclude=/usr/share/locale/*' \
	--customize-hook="copy-in $here/files/etc /" \
	--customize-hook="$here/customize.sh \"\$1\"" \
	"$suite" "$partial" ${APT_SOURCES:+"$APT_SOURCES"}

mv "$partial" "$out"
sha256sum "$out"
