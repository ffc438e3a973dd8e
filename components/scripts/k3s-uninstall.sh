# Takes K3s and all that Strata put on this host away again, then proves it. Bounded by its caller; safe to run again, also
# on a host where nothing or only half of it was installed. A host that has become somebody else's is left alone: nothing on it is ours. So is
# what runs on one without a mark and without K3s, for example another Kubernetes: there only files that Strata wrote are removed.
#
# Variables: those of internal/k3shost's owner.sh, which has the functions.
: "${owner:?}"
empty_goes() {
	if [ -d "$1" ] && ! mountpoint -q "$1" && [ -z "$(ls -A "$1")" ]; then rmdir "$1"; fi
}
# A killed push leaves its partial file beside its target.
remove_own_files() {
	rm -rf /var/lib/strata/k3s /var/lib/strata/k3s-install.sh /var/lib/strata/k3s.applied /var/lib/strata/k3s-reset.log /var/lib/strata/restoring \
		/var/lib/strata/restore.snapshot /var/lib/strata/*.files* \
		/run/strata-k3s.lock /usr/local/bin/.strata-push.* /var/lib/strata/.strata-push.* \
		/etc/modules-load.d/strata-k3s.conf "$owner".*
}
found=$(whose)
case $found in
ours) ;;
free)
	remove_own_files
	empty_goes "${owner%/*}"
	echo "k3s: $(hostname) has no mark and no K3s; what else runs there was left alone"
	exit
	;;
unmarked)
	not_ours "$found"
	exit 1
	;;
*)
	not_ours "$found"
	exit
	;;
esac
# K3s that is stopped while it compares its keys with etcd's, in its first seconds, does not end by itself (k3s-io/k3s pkg/cluster/bootstrap.go,
# reconcileEtcd): systemd would kill it after 90 s.
for unit in k3s k3s-agent; do
	case $(systemctl is-active "$unit") in
	activating | deactivating)
		if ! systemctl kill --kill-who=main --signal=KILL "$unit"; then echo "k3s: $unit has no process to end"; fi
		;;
	esac
done
# The sets of network policies outlive their rules, and K3s's scripts leave them (its install.sh names none). ipset may be K3s's own.
PATH=$PATH:/var/lib/rancher/k3s/data/current/bin:/var/lib/rancher/k3s/data/current/bin/aux
policy_sets() { ipset list -name | sed -nE '/^(inet6:)?KUBE-(SRC|DST)-/p'; }
# The network of the Pods. With host-gw, K3s's scripts leave the routes into it (k3s-io/k3s#2808). flannel would add them again while it runs.
network=$(if [ -e /run/flannel/subnet.env ]; then sed -n 's/^FLANNEL_NETWORK=//p' /run/flannel/subnet.env; fi)
pod_routes() { if [ -n "$network" ]; then ip route "$1" root "$network"; fi; }
if [ -x /usr/local/bin/k3s-killall.sh ]; then /usr/local/bin/k3s-killall.sh; fi
pod_routes flush
if command -v ipset > /dev/null && ! policy_sets | xargs -r -n 1 ipset destroy; then echo "k3s: sets of network policies are in use"; fi
for script in k3s-uninstall.sh k3s-agent-uninstall.sh; do
	if [ -x "/usr/local/bin/$script" ]; then "/usr/local/bin/$script"; fi
done
# A killed install may have left units without the scripts that remove them.
for unit in k3s k3s-agent; do
	if [ -e "/etc/systemd/system/$unit.service" ]; then
		systemctl disable --now "$unit"
		rm -f "/etc/systemd/system/$unit.service" "/etc/systemd/system/$unit.service.env"
	fi
done
rm -rf /run/systemd/system/k3s.service.d /run/systemd/system/k3s-agent.service.d
systemctl daemon-reload
systemctl reset-failed
# What K3s's own uninstall leaves (its install.sh names none of it). The containers are gone: their logs, and the links to them, which
# another kubelet's are told from by what they point at; containerd's sockets, unless another containerd of this host listens there; and
# the cgroups, which go only when they are empty.
rm -rf /var/log/pods
if [ -d /var/log/containers ]; then
	find /var/log/containers -xtype l -delete
	rmdir --ignore-fail-on-non-empty /var/log/containers
fi
deserted() { [ -d /run/containerd ] && ! grep -q ' /run/containerd/' /proc/net/unix; }
if deserted; then rm -rf /run/containerd; fi
pod_cgroups() { find /sys/fs/cgroup -type d \( -name 'kubepods*' -o -name k8s.io \) -prune 2>/dev/null; }
systemctl stop 'kubepods*.slice'
while read -r path; do
	if ! find "$path" -depth -type d -exec rmdir {} + 2>/dev/null; then echo "k3s: cgroup $path is in use"; fi
done < <(pod_cgroups)
rm -rf /etc/rancher/k3s /etc/rancher/node /var/lib/rancher/k3s /usr/local/bin/k3s
remove_own_files
empty_goes /etc/rancher
empty_goes /var/lib/rancher

# The residue scan. Each line is one thing of K3s that is still here.
residue() {
	systemctl list-unit-files --no-legend 'k3s*' | sed 's/^/unit: /'
	grep -E ' (/run/k3s|/var/lib/rancher/k3s|/var/lib/kubelet|/run/netns/cni-)' /proc/self/mounts | cut -d' ' -f2 | sed 's/^/mount: /'
	ip -o link show | grep -oE ': (cni0|flannel[.0-9a-z-]*|kube-ipvs0|veth[0-9a-f]{8})[@:]' | tr -d ':@ ' | sed 's/^/interface: /'
	{ iptables-save; ip6tables-save; } | grep -E '^(:|-A )[^ ]*(KUBE-|CNI-|FLANNEL-)' | sed 's/^/iptables: /'
	policy_sets | sed 's/^/ipset: /'
	pod_routes show | sed 's/^/route: /'
	# By executable, not by command line: this script's own text names them.
	for exe in /proc/[0-9]*/exe; do
		case $(readlink "$exe") in
			/usr/local/bin/k3s* | /var/lib/rancher/k3s/*) echo "process: ${exe%/exe} $(readlink "$exe")" ;;
		esac
	done
	# A cgroup that has no process is nothing; one that has is a container that nobody stopped.
	while read -r path; do
		if grep -rqs --include=cgroup.procs . "$path"; then echo "container: $path"; fi
	done < <(pod_cgroups)
	if deserted; then echo "file: /run/containerd"; fi
	for path in /etc/rancher /var/log/pods /var/lib/rancher/k3s /var/lib/kubelet /run/k3s /run/flannel /etc/cni/net.d/10-flannel.conflist \
		/usr/local/bin/{k3s,kubectl,crictl,ctr,k3s-killall.sh,k3s-uninstall.sh,k3s-agent-uninstall.sh} /var/lib/strata/k3s*; do
		if [ -e "$path" ] || [ -L "$path" ]; then
			if ! mountpoint -q "$path" || [ -n "$(ls -A "$path")" ]; then echo "file: $path"; fi
		fi
	done
}
left=$({ residue; } 2>/dev/null; :)
if [ -n "$left" ]; then
	echo "k3s: still on $(hostname) after the uninstall:" >&2
	echo "$left" | head -50 >&2
	exit 1
fi
# Last: until here the host is ours.
rm -f "$owner" "$owner".*
empty_goes "${owner%/*}"
echo "k3s: nothing left on $(hostname)"
