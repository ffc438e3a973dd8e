# The steps of a restore, one function each. Set before: the variables of internal/k3snode's functions, which precede this, and
# what a step names. Each may be run again.
: "${unit:?}"
database=/var/lib/rancher/k3s/server/db
join=/etc/rancher/k3s/config.yaml.d/90-strata-join.yaml

# Takes a snapshot and prints its name, size in bytes and sha256. A server without its quorum still has what it knew; one that does
# not run has nobody to ask, and K3s's command is not bounded: a gigabyte takes seconds.
save() {
	if ! systemctl is-active --quiet "$unit"; then
		echo "$unit does not run here; see: systemctl status $unit" >&2
		return 1
	fi
	if ! timeout 120 k3s etcd-snapshot save >&2; then
		echo "k3s etcd-snapshot save failed, or took longer than 120 s" >&2
		return 1
	fi
	name=$(find "$database/snapshots" -maxdepth 1 -name 'on-demand-*' -printf '%T@ %f\n' | sort -n | tail -n 1 | cut -d ' ' -f 2)
	if [ -z "$name" ]; then
		echo "k3s etcd-snapshot save: expected a file on-demand-* in $database/snapshots, found none" >&2
		return 1
	fi
	sum=$(sha256sum < "$database/snapshots/$name")
	echo "$name $(stat -c %s "$database/snapshots/$name") ${sum%% *}"
}

# Says whether the snapshot $snapshot is here.
holds() { if [ -f "$database/snapshots/$snapshot" ]; then echo yes; fi; }

# All snapshots: name, size, time.
list() {
	if [ -d "$database/snapshots" ]; then find "$database/snapshots" -maxdepth 1 -type f -printf '%f %s %TY-%Tm-%TdT%TH:%TM:%.2TSZ\n' | sort; fi
}

stop() { systemctl stop "$unit"; }

start_again() { systemctl start --no-block "$unit"; }

# Says that this server works with what it got when it joined.
joined() { : > "$database/etcd-before-restore.joined"; }

# Has K3s forget the passwords of the nodes $nodes: a snapshot from before a host was replaced has the old host's, and the new one would
# be rejected. A node without a password tells its own when it comes (k3s-io/k3s pkg/nodepassword).
forget_passwords() {
	: "${nodes:?}"
	cache=$(mktemp -d) # or it would stay behind in root's home
	for node in $nodes; do
		k3s kubectl --cache-dir="$cache" --namespace kube-system delete secret --ignore-not-found "$node.node-password.k3s" >&2
	done
	rm -rf "$cache"
}

# Makes this server the only member, with the data of $snapshot; empty: with its own. K3s refuses while it has a server to join, and
# a second time while its flag of the first is there (pkg/cluster/managed.go). Until its restart the unit does not start at boot: after a
# reset that failed, K3s would start an empty cluster, and beside the other servers a second one.
reset() {
	systemctl disable "$unit" >&2
	rm -f "$database/reset-flag"
	echo 'cluster-init: true' > "$join"
	set -- --cluster-reset
	if [ -n "$snapshot" ]; then set -- "$@" "--cluster-reset-restore-path=$database/snapshots/$snapshot"; fi
	if k3s server "$@" > /var/lib/strata/k3s-reset.log 2>&1; then return; fi
	tail -n 5 /var/lib/strata/k3s-reset.log >&2
	echo "k3s server --cluster-reset failed; all that it said: /var/lib/strata/k3s-reset.log" >&2
	return 1
}

# Joins this server to the one at $first, without its old data: they are kept until the next restore, beside the snapshots. One that is
# run again because the first broke off finds half a member there, while what is kept are the data from before; joined tells the two apart.
rejoin() {
	: "${first:?}"
	kept=$database/etcd-before-restore
	if [ -e "$kept.joined" ]; then rm -rf "$kept" "$kept.joined"; fi
	if [ -d "$database/etcd" ] && [ ! -e "$kept" ]; then mv "$database/etcd" "$kept"; fi
	rm -rf "$database/etcd"
	echo "server: https://$first:6443" > "$join"
	restart >&2
}
