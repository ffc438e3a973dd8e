# Set before: ROLE (server or agent) and BINARY_SHA256, the binary that this host is to run.
: "${ROLE:?}" "${BINARY_SHA256:?}"
unit=k3s
[ "$ROLE" = server ] || unit=k3s-agent
staged=/var/lib/strata/k3s
program=/usr/local/bin/k3s
applied=/var/lib/strata/k3s.applied
database=/var/lib/rancher/k3s/server/db
join=/etc/rancher/k3s/config.yaml.d/90-strata-join.yaml
# The record of record.sh for K3s. Each step records the files that it wrote.
files=/var/lib/strata/k3s.files
# There while a restore is under way, or where one broke off; what else changes K3s must not come between.
restoring=/var/lib/strata/restoring

# An install and an upgrade may come to a host at the same time, and neither may come to one that is being restored; restores is set by
# the steps of the restore itself.
one_at_a_time() {
	exec 9> /run/strata-k3s.lock
	flock -w 120 9 || {
		echo "k3s: another install or upgrade holds /run/strata-k3s.lock for 2 minutes; see: fuser -v /run/strata-k3s.lock" >&2
		return 1
	}
	if [ -e "$restoring" ] && [ -z "${restores-}" ]; then
		echo "k3s: a restore of this host's etcd began on $(cat "$restoring") and has not ended; if none runs, it broke off: run strata restore again, before any pulumi up" >&2
		return 1
	fi
}

# The address of the server through which this node joined; nothing if it founded the cluster, or has not joined.
joined_to() { if [ -e "$join" ]; then sed -n 's|^server: https://\(.*\):6443$|\1|p' "$join"; fi; }

# Makes this node join as $1 says, a line of K3s's configuration.
write_join() (
	umask 077
	echo "$1" > "$join.new"
	mv -f "$join.new" "$join"
	record "$files" "$join"
)

is_wanted() { [ -e "$1" ] && echo "$BINARY_SHA256  $1" | sha256sum --check --status; }

verify_staged() {
	is_wanted "$staged" || {
		echo "k3s: $staged has not the sha256 $BINARY_SHA256; run 'pulumi up' again to push it" >&2
		return 1
	}
}

# Says that $1 could not be written, and removes the part of it that is there: it would keep the disk full.
unwritten() {
	rm -f "$1"
	echo "k3s: cannot write $1: the disk is full or failing; $(df -Ph -- "${1%/*}" | awk 'NR == 2 { print $4 " free" }')" >&2
	return 1
}

# What runs goes on with the file that it was started from; the next start takes the new one.
place() {
	part="${program%/*}/.strata-push.k3s"
	cp "$staged" "$part" || unwritten "$part" || return 1
	chmod 0755 "$part"
	mv -f "$part" "$program"
	record "$files" "$program"
}

registries=/etc/rancher/k3s/registries.yaml
# The variables of strata:k3s.proxy. Only Strata writes this file.
proxy=/etc/rancher/k3s/strata-proxy.env

# The labels and taints with which the Node registers. They are no part of the sum that restarts K3s: those of a Node that is there are set
# through the API.
settings=/etc/rancher/k3s/config.yaml.d/80-strata-node.yaml

# The environment is empty, because K3s's installer would store K3S_* and proxy variables of this session in the unit; those of $proxy are
# meant to be. The unit is for everybody to read, as systemd wants it ("is marked world-inaccessible" otherwise); what is secret is in
# files that set their own mode.
write_unit() (
	umask 022
	# shellcheck disable=SC2016 # it is the inner shell's: in its arguments, all users could read what $proxy says
	env -i PATH="$PATH" INSTALL_K3S_SKIP_DOWNLOAD=true INSTALL_K3S_SKIP_START=true INSTALL_K3S_EXEC="$ROLE" \
		sh -c 'if [ -e "$0" ]; then set -a; . "$0"; fi; exec sh /var/lib/strata/k3s-install.sh' "$proxy"
	record "$files" "/etc/systemd/system/$unit.service" "/etc/systemd/system/$unit.service.env" \
		/usr/local/bin/k3s-killall.sh "/usr/local/bin/$unit-uninstall.sh"
)

# Whether there is a registries.yaml that Strata has written. One that somebody else wrote is theirs, and K3s is not restarted for it.
has_own_registries() {
	[ -e "$registries" ] && { head -1 "$registries" | grep -q '^# Written by Strata ' || [ -n "$(recorded_sum "$files" "$registries")" ]; }
}

# Puts the files into place that follow config.yaml in $1, each after a line "# file: NAME"; by their names registries.yaml comes behind its
# CAs. One that is not among them, and that an earlier configuration had, goes. The CAs stay: a K3s that runs reads them until it starts again.
place_files() (
	umask 077
	if grep -q '^# file: registries.yaml$' "$1"; then
		if [ -e "$registries" ] && ! has_own_registries; then
			echo "k3s: $registries on this host is not Strata's, and strata:k3s.registries would replace it: move what it says there, and remove the file" >&2
			rm "$1"
			return 1
		fi
	elif has_own_registries; then
		rm "$registries"
	fi
	grep -q "^# file: ${proxy##*/}\$" "$1" || rm -f "$proxy"
	grep -q "^# file: config.yaml.d/${settings##*/}\$" "$1" || rm -f "$settings"
	grep -q '^# file: ' "$1" || return 0
	cd /etc/rancher/k3s || return 1
	mkdir -p registries.d
	awk '/^# file: / { file = $3 ".new"; next } file { print > file }' "$1"
	sed -n 's/^# file: //p' "$1" | while read -r file; do
		sync "$file.new"
		mv "$file.new" "$file"
	done
)

# K3s reads its configuration only at start, and its installer does not look at config.yaml, so the restart is decided by this sum.
configured() {
	{
		cat /etc/rancher/k3s/config.yaml /etc/rancher/k3s/config.yaml.d/90-strata-join.yaml "/etc/systemd/system/$unit.service" "$program"
		if has_own_registries; then cat "$registries"; fi
		if [ -e "$proxy" ]; then cat "$proxy"; fi
	} | sha256sum
}

# Makes this server the only member, with the data of the snapshot $1; empty: with its own. K3s refuses while it has a server to join, and
# a second time while its flag of the first is there (pkg/cluster/managed.go). Until its restart the unit does not start at boot: after a
# reset that failed, K3s would start an empty cluster, and beside the other servers a second one.
reset_etcd() {
	rm -f "$database/reset-flag"
	write_join 'cluster-init: true'
	set -- ${1:+"--cluster-reset-restore-path=$1"}
	if k3s server --cluster-reset "$@" > /var/lib/strata/k3s-reset.log 2>&1; then return; fi
	tail -n 5 /var/lib/strata/k3s-reset.log >&2
	echo "k3s server --cluster-reset failed; all that it said: /var/lib/strata/k3s-reset.log" >&2
	return 1
}

is_applied() { [ "$(cat "$applied" 2> /dev/null)" = "$(configured)" ]; }

restart() {
	systemctl enable "$unit"
	systemctl restart --no-block "$unit"
	configured > "$applied"
}
