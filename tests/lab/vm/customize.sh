#!/bin/sh
# Last step of the VM's image, run by build.sh on the unpacked root file system.
#
# usage: customize.sh ROOT
set -eu
root=$1

chroot "$root" systemctl enable systemd-networkd.service systemd-resolved.service ssh.service
# K3s starts its own containerd; a second one would only cost memory.
chroot "$root" systemctl disable containerd.service
chroot "$root" systemctl mask \
	apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
	e2scrub_all.timer e2scrub_reap.service fstrim.timer

echo 'LABEL=root / ext4 rw,errors=remount-ro 0 1' >"$root/etc/fstab"
mkdir -p "$root/boot/grub"
# The kernel's links in / move with an upgrade. The console is the serial line: the hypervisor keeps what it says.
cat >"$root/boot/grub/grub.cfg" <<'EOF'
set timeout=0
linux /vmlinuz root=LABEL=root ro console=tty0 console=ttyS0,115200 net.ifnames=0 quiet
initrd /initrd.img
boot
EOF

# What must be unique to each VM is absent, so that a VM without its own fails loudly.
rm -f "$root"/etc/ssh/ssh_host_*
: >"$root/etc/machine-id"
rm -f "$root/var/lib/dbus/machine-id" "$root/etc/hostname"

# Package caches and the build's logs differ from run to run.
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/*.log "$root"/var/log/apt "$root"/var/cache/ldconfig
