#!/bin/sh
# Runs in build.sh as the last step of the image, on the unpacked root file system.
#
# usage: customize.sh ROOT
set -eu
root=$1

chroot "$root" useradd --create-home --uid 1000 --shell /bin/bash strata
chroot "$root" chmod 0440 /etc/sudoers.d/strata
chroot "$root" systemctl enable systemd-networkd.service ssh.service
# K3s starts its own containerd. A second one would waste memory.
chroot "$root" systemctl disable containerd.service
# A machine has no terminal and no disk of its own. Automatic upgrades would disturb tests.
chroot "$root" systemctl mask console-getty.service getty.target \
	apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
	e2scrub_all.timer e2scrub_reap.service fstrim.timer

# Remove the files that must be unique to each machine, so that a machine without its own fails
# visibly.
rm -f "$root"/etc/ssh/ssh_host_*
: >"$root/etc/machine-id"
rm -f "$root/var/lib/dbus/machine-id" "$root/etc/hostname" "$root/etc/resolv.conf"

# Remove package caches and logs, which differ in each build.
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/*.log "$root"/var/log/apt "$root"/var/cache/ldconfig
