#!/bin/sh
# Last step of the image, run by build.sh on the unpacked root file system.
#
# usage: customize.sh ROOT
set -eu
root=$1

chroot "$root" useradd --create-home --uid 1000 --shell /bin/bash strata
chroot "$root" chmod 0440 /etc/sudoers.d/strata
chroot "$root" systemctl enable systemd-networkd.service ssh.service
# K3s starts its own containerd; a second one would only cost memory.
chroot "$root" systemctl disable containerd.service
# No terminal is attached, there is no disk to look after, and nothing is upgraded behind the tests' back.
chroot "$root" systemctl mask console-getty.service getty.target \
	apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
	e2scrub_all.timer e2scrub_reap.service fstrim.timer

# What must be unique to each machine is absent, so that a machine without its own fails loudly.
rm -f "$root"/etc/ssh/ssh_host_*
: >"$root/etc/machine-id"
rm -f "$root/var/lib/dbus/machine-id" "$root/etc/hostname" "$root/etc/resolv.conf"

# Package caches and the build's logs differ from run to run.
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/*.log "$root"/var/log/apt "$root"/var/cache/ldconfig
