# Prints the facts of a host as key=value lines; each block ends with a line "end". Read only: loads, starts and writes nothing.
# Variables: modules, ports, programs and fixed (lists), once (yes: observe once and end).
# Functions: listeners (ports.sh), whose and certificates (internal/k3shost), firewall (firewall.sh).
# The caller waits for the first observation, and each process costs a busy host milliseconds. So the script uses builtins, and one systemctl
# for all units. For long files a program is faster, because read makes a system call for each byte.
: "${modules?}" "${ports?}" "${programs?}" "${fixed?}" "${once?}"

system() {
	(
		PRETTY_NAME=unknown
		# shellcheck source=/dev/null
		[ -r /etc/os-release ] && . /etc/os-release
		echo "os=$PRETTY_NAME"
	)
	echo "arch=${platform#* }"
	echo "kernel=${platform% *}"
	echo "uid=$(id -u)"
	if [ -d /run/systemd/system ]; then echo systemd=yes; fi
	if read -r name </proc/sys/kernel/hostname; then echo "hostname=$name"; fi
	if [ -s /etc/machine-id ] && read -r id </etc/machine-id; then echo "machine_id=$id"; fi
	while read -r key kib _; do
		if [ "$key" = MemTotal: ]; then echo "memory_mib=$((kib / 1024))" && break; fi
	done </proc/meminfo
	if memory_cgroup; then echo memory_cgroup=yes; fi
	# Only the root of cgroup v2 has this file. If both versions are mounted, the kubelet uses v1.
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then echo cgroup=v2; else echo cgroup=v1; fi
	if [ -e /run/systemd/shutdown/scheduled ] || [ "$stopping" = yes ]; then echo stopping=yes; fi
	for unit in k3s k3s-agent; do
		if [ -e "/etc/systemd/system/$unit.service" ]; then echo "k3s=$unit"; fi
	done
	if [ -e /var/lib/strata/k3s-install.sh ]; then echo strata=yes; fi
	echo "whose=$(whose)"
	made_with
}

# Prints the fixed settings of a server that has data. Other lines may contain secrets.
made_with() {
	if [ ! -e /var/lib/rancher/k3s/server/db ] || [ ! -e /etc/rancher/k3s/config.yaml ]; then return; fi
	awk -v keys=" $fixed " '
		/^[a-z]/ { key = $0; sub(/[+]?:.*/, "", key); on = index(keys, " " key " ") }
		on { print "k3s_config=" $0 }' /etc/rancher/k3s/config.yaml
}

memory_cgroup() {
	controllers=''
	if [ -r /sys/fs/cgroup/cgroup.controllers ]; then read -r controllers </sys/fs/cgroup/cgroup.controllers; fi
	case " $controllers " in *' memory '*) return 0 ;; esac
	if [ ! -r /proc/cgroups ]; then return 1; fi
	while read -r name _ _ enabled; do
		if [ "$name $enabled" = 'memory 1' ]; then return 0; fi
	done </proc/cgroups
	return 1
}

# Reports whether the kernel has a feature, even without a file in /sys/module or modules.builtin.
feature() {
	case $1 in
	br_netfilter) [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ] ;;
	overlay) grep -qw overlay /proc/filesystems ;;
	ip_vs) [ -e /proc/net/ip_vs ] ;;
	nf_conntrack) [ -e /proc/sys/net/netfilter/nf_conntrack_max ] ;;
	*) false ;;
	esac
}

# Only a module that can be loaded and unloaded has an initstate.
module() {
	if [ -e "/sys/module/$1/initstate" ]; then
		echo "module=$1 loaded"
	elif [ -d "/sys/module/$1" ] || feature "$1" || grep -qs "/$1\.ko" "/lib/modules/${platform% *}/modules.builtin"; then
		echo "module=$1 builtin"
	elif modprobe --dry-run --quiet "$1" 2>/dev/null; then
		echo "module=$1 loadable"
	else
		echo "module=$1 missing"
	fi
}

# Reads all units at once. Prints the network managers; sets stopping, cloud_final and cloud_failed.
units() {
	stopping='' cloud_final='' cloud_failed='' id='' load='' active='' file='' job=''
	while IFS='=' read -r key value; do
		case $key in
		Id) id=$value ;;
		LoadState) load=$value ;;
		ActiveState) active=$value ;;
		UnitFileState) file=$value ;;
		Job) job=$value ;;
		'')
			unit
			id='' load='' active='' file='' job=''
			;;
		esac
	done <<-END
		$(systemctl show -p Id -p LoadState -p ActiveState -p UnitFileState -p Job shutdown.target \
			cloud-init-local cloud-init cloud-init-main cloud-init-network cloud-config cloud-final \
			systemd-networkd NetworkManager networking dhcpcd connman wickedd network 2>/dev/null)

	END
}

unit() {
	case $id in
	'') ;;
	shutdown.target)
		# Active or queued, as in systemctl is-system-running's state stopping.
		case $active-$job in active-* | activating-* | *-[1-9]*) stopping=yes ;; esac
		;;
	cloud-*)
		if [ "$active" = failed ]; then cloud_failed=yes; fi
		if [ "$id" = cloud-final.service ]; then cloud_final=$active; fi
		;;
	*) if [ "$load" = loaded ]; then echo "manager=$id $active $file"; fi ;;
	esac
}

# A cloud-init unit that was stopped or not started at this boot never finishes; a queued or running unit does. result is read before the units,
# so that a result written in between does not count for a unit that has not run yet.
cloud_init() {
	if ! command -v cloud-init >/dev/null; then
		echo cloudinit=absent
	elif [ -e /run/cloud-init/disabled ] || [ -e /etc/cloud/cloud-init.disabled ]; then
		echo cloudinit=disabled
	elif [ "$result" = yes ] && [ "$cloud_final" != activating ]; then
		echo cloudinit=finished
		cloud_init_errors
	elif [ "$cloud_failed" = yes ]; then
		echo cloudinit=failed
		cloud_init_log
	elif [ "$cloud_final" = inactive ] && systemctl is-system-running 2>/dev/null | grep -Eq 'running|degraded'; then
		echo cloudinit=idle
	else
		echo cloudinit=running
		sed -n 's/.*"stage": *"\([^"]*\)".*/cloudinit_stage=\1/p' /run/cloud-init/status.json 2>/dev/null
	fi
}

# cloud-init status takes half a second of CPU, so it runs only if its sources show an error.
cloud_init_errors() {
	if [ "$cloud_failed" != yes ] && awk '
		{ gsub(/[ \t]/, ""); text = text $0 }
		END { exit text ~ /"errors":\[[^]]|"recoverable_errors":\{[^}]/ }' /run/cloud-init/status.json /run/cloud-init/result.json; then
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

# Prints the device of the default route; IPv6 counts only without an IPv4 route.
default_route() {
	while read -r name to _ _ _ _ _ mask _; do
		if [ "$to$mask" = 0000000000000000 ] && [ "$name" != lo ]; then echo "route=$name" && return; fi
	done </proc/net/route
	awk '$1 ~ /^0+$/ && $2 == "00" && $10 != "lo" { print "route=" $10; exit }' /proc/net/ipv6_route 2>/dev/null
}

disk() {
	at=/var/lib/rancher
	while [ -n "$at" ] && [ ! -d "$at" ]; do at=${at%/*}; done
	df -Pm "${at:-/}" | {
		read -r _
		read -r _ _ _ free _ on && printf 'disk_mib=%s\ndisk_at=%s\n' "$free" "$on"
	}
}

observe() {
	result=''
	if [ -e /run/cloud-init/result.json ]; then result=yes; fi
	units
	system
	cloud_init
	default_route
	disk
	for name in $modules; do module "$name"; done
	for name in $programs; do if command -v "$name" >/dev/null; then echo "program=$name"; fi; done
	if [ -n "$ports" ]; then listeners; fi
	if [ -n "$last" ] || [ "$once" = yes ]; then synchronised; fi
	if [ "$once" = yes ]; then certificates; fi
	if [ "$once" = yes ]; then firewall; fi
}

# Prints whether NTP sets the clock. Not in the first observation, because timedatectl may have to start a service; the value is evidence only.
synchronised() {
	ntp=$(timedatectl show -P NTPSynchronized 2>/dev/null) && echo "ntp=$ntp"
}

# Prints facts that change often, with builtins only while cloud-init runs. quick and the sleep cost 2 ms of CPU, 16 times a second; a whole
# observation costs 60 ms, once a second.
quick() {
	if [ -e /run/cloud-init/result.json ]; then
		echo finished
		case $last in *cloudinit=running*) systemctl show -P ActiveState cloud-final.service ;; esac
	fi
	while read -r name to _ _ _ _ _ mask _; do
		if [ "$to$mask" = 0000000000000000 ]; then echo "$name"; fi
	done </proc/net/route
}

# Runs once, in parallel with the first observation, because it takes a second of CPU on a small host.
k3s_version() {
	if [ -e /var/lib/strata/k3s-install.sh ] && [ -x /usr/local/bin/k3s ]; then
		/usr/local/bin/k3s --version 2>/dev/null | sed -n 's/^k3s version \([^ ]*\).*/k3s_version=\1/p'
	fi
}

platform=$(uname -rm)
version=''
last=''
seen=''
turn=0
while :; do
	now=$(quick)
	if [ -z "$last" ]; then
		# The pipe keeps the version until the observation has ended.
		last=$(k3s_version | {
			observe </dev/null
			if read -r line; then echo "$line"; fi
		})
		case $last in *k3s_version=*) version="k3s_version=${last##*k3s_version=}" ;; esac
	elif [ "$now" != "$seen" ] || [ "$turn" -ge 16 ]; then
		last=$(observe)
		if [ -n "$version" ]; then last="$last
$version"; fi
	else
		turn=$((turn + 1))
		sleep 0.06
		continue
	fi
	seen=$now
	turn=0
	printf '%s\ntime=%s\nend\n' "$last" "$(date +%s)"
	if [ "$once" = yes ]; then exit 0; fi
	sleep 0.06
done
