#!/bin/sh
# Build the disk of a lab VM as a qcow2 file: Debian bookworm with a kernel, a boot loader, cloud-init and what the machine
# image has, on one partition that cloud-init grows. It is a cloud image like Debian's own: nothing in it belongs to one VM.
#
# usage: build.sh OUT.qcow2
#   SOURCE_DATE_EPOCH  time stamp of every file (default below)
#   APT_SOURCES        sources.list to install from (default: mmdebstrap's own for the suite)
set -eu

suite=bookworm
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

die() {
	printf 'build.sh: %s\n' "$1" >&2
	exit 1
}

[ $# -eq 1 ] || die 'expected one argument, the qcow2 to write (usage: build.sh OUT.qcow2)'
[ "$(id -u)" -eq 0 ] || die 'needs root to make a root file system (run it with sudo)'
for program in mmdebstrap mke2fs sfdisk qemu-img; do
	command -v "$program" >/dev/null || die "$program is missing (make lab installs it)"
done
out=$1
work=$(mktemp -d "$out.work.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
root=$work/root disk=$work/disk.raw

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1735689600}
export SOURCE_DATE_EPOCH

# One package a line, with the reason it is there after a #. The machine image's list comes first.
packages=$(cat "$here/../image/packages.txt" "$here/packages.txt" | sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' | paste -sd, -)

mmdebstrap --quiet --mode=root --format=directory --variant=minbase \
	--include="$packages" \
	--aptopt='Acquire::Languages "none"' \
	--dpkgopt='path-exclude=/usr/share/doc/*' \
	--dpkgopt='path-exclude=/usr/share/man/*' \
	--dpkgopt='path-exclude=/usr/share/info/*' \
	--dpkgopt='path-exclude=/usr/share/locale/*' \
	--essential-hook="copy-in $here/files/etc /" \
	--customize-hook="$here/customize.sh \"\$1\"" \
	"$suite" "$root" ${APT_SOURCES:+"$APT_SOURCES"}

# 2 GiB hold the system; the VM's disk is larger, and cloud-init grows partition and file system to it.
truncate -s 2G "$disk"
printf 'label: dos\nstart=2048, type=83, bootable\n' | sfdisk --quiet "$disk"
mke2fs -q -t ext4 -L root -d "$root" -E offset=1048576 "$disk" $((2 * 1024 * 1024 - 1024))k

# The boot loader: its first sector, then its core in the gap before the partition. Both parts come from Debian's package.
grub=$root/usr/lib/grub/i386-pc
grub-mkimage -d "$grub" -O i386-pc -o "$work/core.img" -p '(hd0,msdos1)/boot/grub' biosdisk part_msdos ext2 linux normal configfile
[ "$(stat -c %s "$work/core.img")" -lt $((2047 * 512)) ] || die 'the boot loader does not fit before the partition'
dd if="$grub/boot.img" of="$disk" bs=440 count=1 conv=notrunc status=none
dd if="$work/core.img" of="$disk" bs=512 seek=1 conv=notrunc status=none

qemu-img convert -O qcow2 -c -o compression_type=zstd "$disk" "$work/disk.qcow2"
mv "$work/disk.qcow2" "$out"
sha256sum "$out"
