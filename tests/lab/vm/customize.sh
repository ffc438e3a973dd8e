#!/bin/sh
# Runs in build.sh as the last step of the VM's image, on the unpacked root file system.
#
# usage: customize.sh ROOT
set -eu
root=$1

chroot "$root" systemctl enable systemd-networkd.service systemd-resolved.service ssh.service
# K3s starts its own containerd. A second one would waste memory.
chroot "$root" systemctl disable containerd.service
chroot "$root" systemctl mask \
	apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
	e2scrub_all.timer e2scrub_reap.service fstrim.timer

echo 'LABEL=root / ext4 rw,errors=remount-ro 0 1' >"$root/etc/fstab"
mkdir -p "$root/boot/grub"
# The links to kernel and initrd in / follow an upgrade. The console is the serial port, whose
# output the hypervisor stores.
cat >"$root/boot/grub/grub.cfg" <<'EOF'
set timeout=0
linux /vmlinuz root=LABEL=root ro console=tty0 console=ttyS0,115200 net.ifnames=0 quiet
initrd /initrd.img
boot
EOF

# Remove the files that must be unique to each VM, so that a VM without its own fails visibly.
rm -f "$root"/etc/ssh/ssh_host_*
: >"$root/etc/machine-id"
rm -f "$root/var/lib/dbus/machine-id" "$root/etc/hostname"

# Remove package caches and logs, which differ in each build.
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/*.log "$root"/var/log/apt "$root"/var/cache/ldconfig
