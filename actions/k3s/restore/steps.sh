# The steps of a restore, one function each. Set before: the variables of internal/k3shost's functions, which precede this, and
# what a step names. Each may be run again.
: "${unit:?}" "${restoring:?}" "${database:?}" "${join:?}"
: "${restores:=yes}" # one_at_a_time asks for it

# Takes a snapshot and prints its name, size in bytes and sha256. A server without its quorum still has what it knew; one that does
# not run has no server to ask, and K3s's command is not bounded: a gigabyte takes seconds. In the foreground, timeout stays in the process
# group that ends with the caller.
#
# The name is the one that K3s says. A server that could not write the file answers without an error (pkg/etcd/snapshot.go, snapshot), and
# what is newest in the folder is then an earlier snapshot. Without a quorum K3s writes the file in a second, and then tries until its own
# limit to note it in the API (addSnapshotData), so that it fails: the file is taken where it is new and whole.
save() {
	if ! systemctl is-active --quiet "$unit"; then
		echo "$unit does not run here; see: systemctl status $unit" >&2
		return 1
	fi
	drop_parts
	begun=$(mktemp)
	if said=$(timeout --foreground 120 k3s etcd-snapshot save 2>&1); then
		name=$(printf '%s\n' "$said" | sed -n 's/.*Snapshot \(on-demand-[^ ]*\) saved\..*/\1/p' | tail -n 1)
	else
		name=$(find "$database/snapshots" -maxdepth 1 -name 'on-demand-*' ! -name '*.part' -newer "$begun" -printf '%f\n' 2> /dev/null | sort | tail -n 1)
		if [ -z "$name" ] || ! whole "$database/snapshots/$name"; then name=none; fi
		printf '%s\n%s\n' "$said" "k3s etcd-snapshot save failed, or took longer than 120 s; new and whole is: $name" >&2
	fi
	rm -f "$begun"
	if [ "$name" = none ]; then return 1; fi
	if [ -z "$name" ] || [ ! -f "$database/snapshots/$name" ]; then
		printf '%s\n' "$said" >&2
		echo "k3s etcd-snapshot save: expected a new file on-demand-* in $database/snapshots, found none;" \
			"$(df -Ph -- "$database" | awk 'NR == 2 { print $4 " free" }') there; see: journalctl -u $unit" >&2
		return 1
	fi
	sum=$(sha256sum < "$database/snapshots/$name")
	echo "$name $(stat -c %s "$database/snapshots/$name") ${sum%% *}"
}

# Says whether a snapshot's file is whole: etcd ends it with the sha256 of what is before.
whole() {
	size=$(stat -c %s "$1")
	sum=$(head -c $((size > 32 ? size - 32 : 0)) "$1" | sha256sum)
	[ "${sum%% *}" = "$(tail -c 32 "$1" | od -An -v -tx1 | tr -d ' \n')" ]
}

# Removes what a K3s that was killed while it wrote a snapshot has left of it. What a process has open is being written.
drop_parts() {
	for part in "$database"/snapshots/on-demand-*.part; do
		if [ -f "$part" ] && ! find /proc/[0-9]*/fd -lname "$part" 2> /dev/null | grep -q .; then rm -f "$part"; fi
	done
}

# Says whether the snapshot $snapshot is here.
holds() { if [ -f "$database/snapshots/$snapshot" ]; then echo yes; fi; }

# The sha256 of the snapshot $snapshot.
sum() {
	sum=$(sha256sum < "$database/snapshots/$snapshot")
	echo "${sum%% *}"
}

# All snapshots: name, size, time.
list() {
	if [ -d "$database/snapshots" ]; then find "$database/snapshots" -maxdepth 1 -type f ! -name '*.part' -printf '%f %s %TY-%Tm-%TdT%TH:%TM:%.2TSZ\n' | sort; fi
}

# Says whether the snapshot $snapshot is whole and this cluster's own, before anything is stopped for it: K3s finds out after the reset.
# etcd ends a snapshot with the sha256 of what is before it. K3s keeps its key material under a key that is named after the token. A
# compressed one (etcd-snapshot-compress) is not opened, and none at all is this server's own data.
fits() {
	if [ -z "$snapshot" ]; then return; fi
	file=$database/snapshots/$snapshot
	case $file in *.zip) return ;; esac
	if ! whole "$file"; then
		echo "snapshot $snapshot is damaged: its $size bytes do not end with the sha256 of those before" >&2
		return 1
	fi
	token=$(sed -n 's/^token: *"\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' /etc/rancher/k3s/config.yaml)
	key=$(printf %s "${token##*:}" | sha256sum | cut -c -12)
	if ! grep -aqF "/bootstrap/$key" "$file"; then
		echo "snapshot $snapshot is not of this cluster: it has no key material that this cluster's token opens (key /bootstrap/$key)" >&2
		return 1
	fi
}

# Stops K3s until this restore starts it again: not at a boot either, or the servers would meet again with their old data. Whoever installs
# or upgrades K3s here has ended before, and does not begin.
stop() {
	one_at_a_time
	date -u +%Y-%m-%dT%H:%M:%SZ > "$restoring"
	systemctl disable "$unit" >&2
	systemctl stop "$unit"
}

start_again() {
	systemctl enable "$unit" >&2
	systemctl start --no-block "$unit"
	release
}

# Lets installs and upgrades come again. What was copied for this restore has done its service.
release() { rm -f "$restoring" "$database"/snapshots/*-ahead; }

# Says that this server works with what it got when it joined.
joined() { : > "$database/etcd-before-restore.joined"; }

# Runs kubectl with the arguments behind $1 for each of $nodes, whose name gets the suffix $1.
for_nodes() {
	: "${nodes:?}"
	suffix=$1
	shift
	cache=$(mktemp -d) # or it would stay behind in root's home
	for node in $nodes; do k3s kubectl --cache-dir="$cache" "$@" "$node$suffix" >&2; done
	rm -rf "$cache"
}

# Deletes the Nodes $nodes of servers that are lost. K3s's finalizer on a Node waits for a controller that leads.
forget_nodes() { for_nodes "" delete node --ignore-not-found --timeout=2m; }

# Has K3s forget the passwords of the nodes $nodes: a snapshot from before a host was replaced has the old host's, and the new one would
# be rejected. A node without a password tells its own when it comes (k3s-io/k3s pkg/nodepassword).
forget_passwords() { for_nodes .node-password.k3s --namespace kube-system delete secret --ignore-not-found; }

# Binds $1 to the role $2 where the snapshot is from before it was.
bind_to() {
	found=$(k3s kubectl --cache-dir="$cache" get clusterrolebinding --ignore-not-found --output name "$1")
	if [ -z "$found" ]; then
		k3s kubectl --cache-dir="$cache" create clusterrolebinding "$1" --clusterrole="$2" --user="$1" >&2
	fi
}

# Binds the stack's user $user and its reader to their roles, and no former one of the stack (USER:GENERATION), whose kubeconfigs were revoked
# since.
bind() {
	: "${user:?}"
	cache=$(mktemp -d)
	stack=$(echo "$user" | cut -d: -f1,2)
	reader=$stack:reader${user#"$stack"}
	bind_to "$user" cluster-admin
	bind_to "$reader" strata:reader
	k3s kubectl --cache-dir="$cache" get clusterrolebinding --output name | sed 's|.*/||' > "$cache/bindings"
	while read -r former; do
		case $former in "$user" | "$reader") ;; "$stack" | "$stack":*) k3s kubectl --cache-dir="$cache" delete clusterrolebinding "$former" >&2 < /dev/null ;; esac
	done < "$cache/bindings"
	rm -rf "$cache"
}

# Makes this server the only member, with the data of $snapshot; empty: with its own.
reset() { reset_etcd "${snapshot:+$database/snapshots/$snapshot}"; }

# Joins this server to the one at $first, without its old data: they are kept until the restore after this one, beside the snapshots. One
# that is run again because the first broke off finds data that may be half a member's, or those of all that was done since: they are kept
# beside those from before. joined tells that what is kept is of a restore that ended.
rejoin() {
	: "${first:?}"
	kept=$database/etcd-before-restore
	if [ -e "$kept.joined" ]; then rm -rf "$kept" "$kept".*; fi
	if [ -d "$database/etcd" ]; then
		if [ -e "$kept" ]; then kept=$(mktemp -u "$kept.XXXXXX"); fi
		mv "$database/etcd" "$kept"
	fi
	write_join "server: https://$first:6443"
	restart >&2
}

# Restarts this agent. One whose server is not among $servers joins through the first of them: that server may be lost. K3s has a list of
# other servers to fall back to, but the list has only those that the API had when this agent last saw it.
restart_agent() {
	: "${servers:?}"
	case " $servers " in
	*" $(joined_to) "*) ;;
	*) write_join "server: https://${servers%% *}:6443" ;;
	esac
	restart >&2
}
