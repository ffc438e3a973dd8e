# What a host is, as key=value lines; each block ends with a line "end". Looks only: nothing is loaded, started or written.
# Set before: modules, ports and programs (lists), once (yes: look once and end).
: "${modules?}" "${ports?}" "${programs?}" "${once?}"

system() {
	(
		PRETTY_NAME=unknown
		# shellcheck source=/dev/null
		[ -r /etc/os-release ] && . /etc/os-release
		echo "os=$PRETTY_NAME"
	)
	echo "arch=$(uname -m)"
	echo "kernel=$(uname -r)"
	echo "uid=$(id -u)"
	if [ -d /run/systemd/system ]; then echo systemd=yes; fi
	echo "hostname=$(cat /proc/sys/kernel/hostname)"
	if [ -s /etc/machine-id ]; then echo "machine_id=$(cat /etc/machine-id)"; fi
	awk '/^MemTotal:/ { print "memory_mib=" int($2 / 1024) }' /proc/meminfo
	if grep -qsw memory /sys/fs/cgroup/cgroup.controllers || awk '$1 == "memory" && $4 == 1 { found = 1 } END { exit !found }' /proc/cgroups; then
		echo memory_cgroup=yes
	fi
	if [ -e /run/systemd/shutdown/scheduled ] || [ "$(systemctl is-system-running 2>/dev/null)" = stopping ]; then echo stopping=yes; fi
	for unit in k3s k3s-agent; do
		if [ -e "/etc/systemd/system/$unit.service" ]; then echo "k3s=$unit"; fi
	done
	if [ -e /var/lib/strata/k3s-install.sh ]; then echo strata=yes; fi
	if [ -n "$version" ]; then echo "k3s_version=$version"; fi
}

# A feature can be there without a file of that name in /sys/module or modules.builtin.
feature() {
	case $1 in
	br_netfilter) [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ] ;;
	overlay) grep -qw overlay /proc/filesystems ;;
	ip_vs) [ -e /proc/net/ip_vs ] ;;
	nf_conntrack) [ -e /proc/sys/net/netfilter/nf_conntrack_max ] ;;
	*) false ;;
	esac
}

module() {
	if grep -qs "^$1 " /proc/modules; then
		echo "module=$1 loaded"
	elif [ -d "/sys/module/$1" ] || grep -qs "/$1\.ko" "/lib/modules/$(uname -r)/modules.builtin" || feature "$1"; then
		echo "module=$1 builtin"
	elif modprobe --dry-run --quiet "$1" 2>/dev/null; then
		echo "module=$1 loadable"
	else
		echo "module=$1 missing"
	fi
}

# A unit that was stopped or never started at this boot will not finish; one that is queued or running will.
cloud_init() {
	if ! command -v cloud-init >/dev/null; then
		echo cloudinit=absent
	elif [ -e /run/cloud-init/disabled ] || [ -e /etc/cloud/cloud-init.disabled ]; then
		echo cloudinit=disabled
	elif [ -e /run/cloud-init/result.json ] && [ "$(systemctl show -P ActiveState cloud-final.service)" != activating ]; then
		echo cloudinit=finished
		cloud_init_errors
	elif systemctl --quiet is-failed cloud-init-local cloud-init cloud-init-main cloud-init-network cloud-config cloud-final; then
		echo cloudinit=failed
		cloud_init_log
	elif [ "$(systemctl show -P ActiveState cloud-final.service)" = inactive ] && systemctl is-system-running 2>/dev/null | grep -Eq 'running|degraded'; then
		echo cloudinit=idle
	else
		echo cloudinit=running
		sed -n 's/.*"stage": *"\([^"]*\)".*/cloudinit_stage=\1/p' /run/cloud-init/status.json 2>/dev/null
	fi
}

# The status command takes half a second of CPU, so it is asked only when its own sources show that it has something to say.
cloud_init_errors() {
	if ! cat /run/cloud-init/status.json /run/cloud-init/result.json | tr -d ' \n' |
		grep -Eq '"errors":\[[^]]|"recoverable_errors":\{[^}]' &&
		! systemctl --quiet is-failed cloud-init-local cloud-init cloud-init-main cloud-init-network cloud-config cloud-final; then
		echo cloudinit_code=0
		return
	fi
	status=$(cloud-init status --long 2>&1)
	echo "cloudinit_code=$?"
	printf '%s\n' "$status" | cut -c 1-500 | sed 's/^/cloudinit_said=/'
	cloud_init_log
}

cloud_init_log() {
	grep -hE 'WARNING|ERROR|CRITICAL|Traceback|Error:|Failed' /var/log/cloud-init.log 2>/dev/null | tail -n 15 | cut -c 1-500 | sed 's/^/cloudinit_log=/'
}

network() {
	systemctl show -p Id -p LoadState -p ActiveState -p UnitFileState systemd-networkd NetworkManager networking dhcpcd \
		connman wickedd network 2>/dev/null | awk -F= -v RS= '{
			n = split($0, lines, "\n")
			for (i = 1; i <= n; i++) { at = index(lines[i], "="); value[substr(lines[i], 1, at - 1)] = substr(lines[i], at + 1) }
			if (value["LoadState"] == "loaded") print "manager=" value["Id"] " " value["ActiveState"] " " value["UnitFileState"]
		}'
	awk '$2 == "00000000" && $8 == "00000000" && $1 != "lo" { print "route=" $1; exit }' /proc/net/route
	awk '$1 ~ /^0+$/ && $2 == "00" && $10 != "lo" { print "route=" $10; exit }' /proc/net/ipv6_route 2>/dev/null
}

# Who listens on the ports: the inode of a socket leads to a process, its control group to the unit. All sockets are read at
# once, and processes are searched only for those of the ports that are held: a host that runs K3s has thousands of files open.
listening() {
	cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v ports="$ports" '
		function number(digits,   i, n) {
			for (i = 1; i <= length(digits); i++) n = n * 16 + index("0123456789ABCDEF", substr(digits, i, 1)) - 1
			return n
		}
		BEGIN { n = split(ports, wanted, " ") }
		$4 == "0A" { inode[number(substr($2, length($2) - 3))] = $10 }
		END { for (i = 1; i <= n; i++) print wanted[i], (wanted[i] in inode) ? inode[wanted[i]] : "free" }'
}
listeners() {
	sockets=$(listening)
	set --
	for inode in $(printf '%s\n' "$sockets" | cut -d ' ' -f 2); do
		if [ "$inode" != free ]; then set -- "$@" -o -lname "socket:\[$inode\]"; fi
	done
	files=''
	if [ $# -gt 0 ]; then
		shift
		files=$(find /proc/[0-9]*/fd \( "$@" \) -printf '%p %l\n' 2>/dev/null)
	fi
	printf '%s\n' "$sockets" | while read -r number inode; do
		if [ "$inode" = free ]; then
			echo "port=$number free"
			continue
		fi
		pid=$(printf '%s\n' "$files" | sed -n "s|^/proc/\([0-9]*\)/fd/[0-9]* socket:\[$inode\]\$|\1|p" | head -n 1)
		unit=$(sed -n 's|.*/\([^/]*\.service\).*|\1|p' "/proc/${pid:-0}/cgroup" 2>/dev/null | head -n 1)
		echo "port=$number held ${unit:--} $(cat "/proc/${pid:-0}/comm" 2>/dev/null)"
	done
}

disk() {
	at=/var/lib/rancher
	while [ ! -d "$at" ]; do at=$(dirname "$at"); done
	df -Pm "$at" | awk 'NR == 2 { print "disk_mib=" $4; print "disk_at=" $6 }'
}

look() {
	system
	cloud_init
	network
	disk
	for name in $modules; do module "$name"; done
	for name in $programs; do if command -v "$name" >/dev/null; then echo "program=$name"; fi; done
	if [ -n "$ports" ]; then listeners; fi
	if [ -n "$last" ] || [ "$once" = yes ]; then synchronised; fi
}

# Whether somebody sets the clock. Not in the first look: a service may have to be started to know, and it is evidence only.
synchronised() {
	ntp=$(timedatectl show -P NTPSynchronized 2>/dev/null) && echo "ntp=$ntp"
}

# What may change from one moment to the next and costs next to nothing to see: only shell builtins while cloud-init runs.
quick() {
	if [ -e /run/cloud-init/result.json ]; then
		echo finished
		case $last in *cloudinit=running*) systemctl show -P ActiveState cloud-final.service ;; esac
	fi
	while read -r name to _ _ _ _ _ mask _; do
		if [ "$to$mask" = 0000000000000000 ]; then echo "$name"; fi
	done </proc/net/route
}

# Asked once: the program takes a second of a small host's CPU to say it.
version=
if [ -e /var/lib/strata/k3s-install.sh ] && [ -x /usr/local/bin/k3s ]; then
	version=$(/usr/local/bin/k3s --version 2>/dev/null | sed -n 's/^k3s version \([^ ]*\).*/\1/p')
fi
last=
seen=
turn=0
while :; do
	now=$(quick)
	if [ "$now" != "$seen" ] || [ "$turn" -ge 8 ] || [ -z "$last" ]; then
		seen=$now
		turn=0
		last=$(look)
		printf '%s\ntime=%s\nend\n' "$last" "$(date +%s)"
		if [ "$once" = yes ]; then exit 0; fi
	fi
	turn=$((turn + 1))
	sleep 0.12
done
