#!/bin/sh
# Builds the base layer of a container image from Debian packages, as a tar file. The packages are
# unpacked but not configured, because an image needs programs and libraries and no running system.
#
# usage: build.sh FOLDER OUT.tar
#   FOLDER/packages.txt  one package per line, with its purpose after a #
#   FOLDER/setup.sh      optional: runs with the root's folder after the packages are unpacked
#   SOURCE_DATE_EPOCH    time stamp of every file in the tar (default below); equal packages
#                        give equal bytes
#   APT_SOURCES          sources.list to install from (default: mmdebstrap's own for the suite)
set -eu

suite=bookworm

die() {
	printf 'build.sh: %s\n' "$1" >&2
	exit 1
}

[ $# -eq 2 ] || die 'expected two arguments (usage: build.sh FOLDER OUT.tar)'
[ "$(id -u)" -eq 0 ] || die 'needs root to make a root file system (run it with sudo)'
command -v mmdebstrap >/dev/null || die 'mmdebstrap is missing (apt-get install mmdebstrap)'
folder=$(CDPATH='' cd -- "$1" && pwd)
out=$2
partial=$out.partial.$$
trap 'rm -f "$partial"' EXIT
trap 'exit 130' INT TERM

packages=$(sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$folder/packages.txt" | paste -sd, -)
setup=true
[ ! -x "$folder/setup.sh" ] || setup="$folder/setup.sh \"\$1\""

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1735689600}
export SOURCE_DATE_EPOCH

# The first hook removes files that no program of the images reads when it runs, mostly Perl and
# documentation.
# shellcheck disable=SC2016
mmdebstrap --quiet --mode=root --format=tar --variant=extract --skip=output/dev \
	--include="$packages" \
	--aptopt='Acquire::Languages "none"' \
	--extract-hook='cd "$1" && rm -rf usr/share/doc usr/share/man usr/share/info usr/share/locale usr/share/lintian \
		usr/share/perl usr/share/perl5 usr/lib/*/perl usr/lib/*/perl5 usr/lib/*/perl-base usr/bin/perl* \
		usr/share/bash-completion usr/lib/systemd lib/systemd' \
	--extract-hook="$setup" \
	"$suite" "$partial" ${APT_SOURCES:+"$APT_SOURCES"}

mv "$partial" "$out"
sha256sum "$out"
