#!/bin/sh
# Builds the disk image of lab VMs as a qcow2 file: Debian bookworm with a kernel, a boot loader,
# cloud-init and the packages of the machine image. It has one partition, which cloud-init grows.
# Like Debian's cloud images, it has nothing specific to one VM.
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

# Both lists have one package per line, with its purpose after a #. The first list is the machine
# image's.
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

# The system fits in 2 GiB. A VM's disk is larger, and cloud-init grows the partition and the file
# system.
truncate -s 2G "$disk"
printf 'label: dos\nstart=2048, type=83, bootable\n' | sfdisk --quiet "$disk"
mke2fs -q -t ext4 -L root -d "$root" -E offset=1048576 "$disk" $((2 * 1024 * 1024 - 1024))k

# Install the boot loader: the boot sector, and the core image in the gap before the partition. Both
# come from Debian's package.
grub=$root/usr/lib/grub/i386-pc
grub-mkimage -d "$grub" -O i386-pc -o "$work/core.img" -p '(hd0,msdos1)/boot/grub' biosdisk part_msdos ext2 linux normal configfile
[ "$(stat -c %s "$work/core.img")" -lt $((2047 * 512)) ] || die 'the boot loader does not fit before the partition'
dd if="$grub/boot.img" of="$disk" bs=440 count=1 conv=notrunc status=none
dd if="$work/core.img" of="$disk" bs=512 seek=1 conv=notrunc status=none

qemu-img convert -O qcow2 -c -o compression_type=zstd "$disk" "$work/disk.qcow2"
mv "$work/disk.qcow2" "$out"
sha256sum "$out"
