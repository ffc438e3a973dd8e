# Installs or reconfigures K3s on this host; safe to run again at any point. config.yaml comes on stdin because it holds
# the token; behind it come other files, if there are any, each after a line "# file: NAME". The unit is started without blocking: a node that cannot join would block `systemctl start` for ever
# (TimeoutStartSec=0 in the unit that K3s's installer writes), and the gate that follows says why instead.
#
# A K3s that runs keeps its binary: changing that is the upgrade's work, which empties the node first.
#
# It also puts back what was changed by hand, and records what it wrote (internal/k3shost/record.sh).
#
# Variables: ROLE (server or agent), FOUNDS (true where this server may start the cluster), PEERS (the other
# servers' addresses for a server, all servers' for an agent), CA_HASH (of the cluster's CA as its tokens have it, empty while nothing is known),
# BINARY_SHA256, CONFIG_SHA256 (of what stdin brings), and those of internal/k3shost's owner.sh. internal/k3shost has the functions.
umask 077
: "${unit:?}" "${program:?}" "${join:?}" "${database:?}" "${files:?}" "${applied:?}" "${owner:?}"
config=/etc/rancher/k3s/config.yaml
# The cluster's data, which strata restore --new-hosts has left here.
brought=/var/lib/strata/restore.snapshot
modules=/etc/modules-load.d/strata-k3s.conf
claim
mkdir -p /etc/rancher/k3s/config.yaml.d /var/lib/strata
verify_staged
one_at_a_time

# A host that the last uninstall left behind as a server must not come back as an agent, or the other way round.
for other in k3s k3s-agent; do
	if [ "$other" != "$unit" ] && [ -e "/etc/systemd/system/$other.service" ]; then
		echo "k3s: this host already runs $other; run /usr/local/bin/$other-uninstall.sh (k3s-uninstall.sh for a server) first" >&2
		exit 1
	fi
done

# A connection that dies while it is sent ends stdin as if it were complete, and K3s without a token makes one of its own.
cat > "$config.new" || unwritten "$config.new"
arrived=$(sha256sum < "$config.new")
if [ "${arrived%% *}" != "$CONFIG_SHA256" ]; then
	rm -f "$config.new"
	echo "k3s: $config: expected sha256 $CONFIG_SHA256 on stdin, found ${arrived%% *}; the connection broke off, and what runs was left as it is: run 'pulumi up' again" >&2
	exit 1
fi
# K3s keeps the cluster's keys in etcd under a name that follows from the servers' token, and does not start with another token. The
# wanted name decides: those of former tokens stay in the files for a while. A member that never served has none.
members=/var/lib/rancher/k3s/server/db/etcd/member
if [ "$ROLE" = server ] && [ -e "$members" ]; then
	key=/bootstrap/$(sed -n '/^# file: /q; s/^token: *//p' "$config.new" | tr -d "\"'" | password | sha256sum | cut -c -12)
	if grep -aqrE '/bootstrap/[0-9a-f]{12}' "$members" && ! grep -aqrF "$key" "$members"; then
		rm -f "$config.new"
		echo "k3s: expected this cluster's token, found data that another token encrypts ($members has no key $key): nothing was written. The" \
			"stack's token was drawn anew (pulumi up --replace, pulumi state taint or delete): bring the former state back (docs/host-ownership.md)" >&2
		exit 1
	fi
fi
# Who joins verifies the cluster's CA before it shows the token: by the hash in it (https://docs.k3s.io/cli/token). A server with data has
# joined: the form of its token stays, and K3s is not restarted for it.
has_data() { [ "$ROLE" = server ] && { [ -d "$database/etcd" ] || [ -e "$brought" ]; }; }
form=
if has_data; then
	form=$(k3s_key token | sed -n 's/^\(K10[0-9a-f]*::[^:]*:\).*/\1/p')
elif [ -n "${CA_HASH-}" ]; then
	form=K10$CA_HASH::$([ "$ROLE" = server ] && echo server || echo node):
fi
# Prints config.yaml with the form $1 of its token.
render() { sed "/^# file: /,\$d; s/^token: *\"\{0,1\}/&$1/" "$config.new"; }
# What was changed by hand since the last install. K3s is restarted if it was started with such a file.
if [ -e "$files" ]; then
	changes=$(compare_record "$files" "$unit")
	case $changes in *running*) rm -f "$applied" ;; esac
	way=$(recorded_sum "$files" "$join")
	# The form in a file that was changed by hand is not to be trusted.
	for try in '' "K10${CA_HASH-}::server:"; do
		if has_data && [ "$(render "$try" | sha256sum)" = "$(recorded_sum "$files" "$config")  -" ]; then form=$try; fi
	done
fi
# A binary that was replaced by hand after the start of K3s, which so runs the wanted one.
is_replaced() {
	[ "$(recorded_sum "$files" "$program")" = "$BINARY_SHA256" ] && ! grep "	running	.*	$program\$" <<< "${changes-}" > /dev/null
}
draft_mark
mv -f "${mark:?}" "$owner"
written=$(sed -n 's|^# file: |/etc/rancher/k3s/|p' "$config.new")
place_files "$config.new"
# Until this ends, the record has only those files that are not written here always.
{ if [ -e "$files" ]; then awk -v join="$join" '$5 == join || $5 ~ /\/k3s$|\.service$|\.service\.env$|\.sh$/' "$files"; fi; } > "$files.new"
mv "$files.new" "$files"
render "$form" > "$config.cut"
sync "$config.cut"
mv "$config.cut" "$config"
rm "$config.new"

# Whether a server listens is all that is asked: who it is, K3s verifies itself when it joins. bash does it, so that no tool is needed. A node
# that can only join waits for PATIENCE seconds: the gate of a server has opened, and it is under load, or its K3s starts anew.
listening_peer() {
	deadline=$((SECONDS + ${PATIENCE-120}))
	while :; do
		for peer in $PEERS; do
			# shellcheck disable=SC2016 # it is the inner shell's
			if timeout 3 bash -c ': < "/dev/tcp/$0/6443"' "$peer" 2> /dev/null; then
				echo "$peer"
				return
			fi
		done
		if [ -z "$PEERS" ] || has_data || [ "${FOUNDS-false}" = true ] || [ "$SECONDS" -ge "$deadline" ]; then return; fi
		sleep 1
	done
}

# How this node joined was changed by hand: the sum says how it was. It is decided anew if that server is none any more.
if [ -n "${way-}" ] && [ "$(print_lines "$join" | cut -d ' ' -f 1)" != "$way" ]; then
	rm -f "$join"
	for peer in '' $PEERS; do
		line=${peer:+server: https://$peer:6443}
		line=${line:-cluster-init: true}
		if [ "$(echo "$line" | sha256sum)" = "$way  -" ]; then write_join "$line"; fi
	done
fi

# A server that has etcd data is a member already and keeps how it joined. Without data it joins a server that listens. A new cluster is
# started by the first server only, and only where the stack's state shows none: hosts that are silent may have one (docs/adr/0055).
if has_data && [ -e "$join" ]; then
	line=$(cat "$join")
elif [ "$ROLE" = agent ] && current=$(joined_to) && [ -n "$current" ] && [[ " $PEERS " == *" $current "* ]]; then
	line=$(cat "$join")
elif [ ! -e "$brought" ] && peer=$(listening_peer) && [ -n "$peer" ]; then
	line="server: https://$peer:6443"
elif has_data || [ "${FOUNDS-false}" = true ]; then
	line="cluster-init: true"
elif [ -z "$PEERS" ]; then
	echo "k3s: the cluster's data are not on this host, and there is no other server: K3s would start an empty cluster." \
		"Bring the data back (strata restore --new-hosts, docs/operations.md)" >&2
	exit 1
else
	echo "k3s: no server listens on {${PEERS// /,}}:6443, so this node cannot join" >&2
	exit 1
fi
write_join "$line"

# Modules are loaded again after a reboot; one that is built in needs no line.
for module in br_netfilter overlay; do
	if modinfo -F filename "$module" 2>/dev/null | grep -q '^/'; then echo "$module"; fi
done > "$modules.new"
if [ -s "$modules.new" ]; then mv -f "$modules.new" "$modules"; else rm -f "$modules" "$modules.new"; fi
# K3s does both when it starts.
if systemctl is-active --quiet "$unit"; then
	while read -r module; do
		if [ ! -e "/sys/module/$module" ] && ! modprobe "$module"; then echo "k3s: modprobe $module failed" >&2; fi
	done < <(if [ -e "$modules" ]; then cat "$modules"; fi)
	undone | while IFS='=' read -r _ key; do echo 1 > "/proc/sys/$key"; done
fi

# A host that was about to leave may stay after all (actions/k3s/members holds it with this file, and disables the unit).
rm -f "/run/systemd/system/$unit.service.d/90-strata-leaving.conf"
# One that is masked is a link to /dev/null, which write_unit replaces.
if [ -f "/etc/systemd/system/$unit.service" ] && ! systemctl is-enabled --quiet "$unit"; then systemctl enable "$unit"; fi
record_written() {
	# shellcheck disable=SC2086 # a list
	record "$files" "$config" "$join" "$modules" "$owner" $written
}
if systemctl is-active --quiet "$unit" && ! is_wanted "$program" && ! is_replaced; then
	record_written
	echo "k3s: $unit goes on with its old binary until its upgrade, which takes the configuration along"
	exit
fi
if is_wanted "$program" && [ ! -L "$program" ]; then
	chown "$(id -u):$(id -g)" "$program"
	chmod 0755 "$program"
	record "$files" "$program"
else
	place
fi
# Before the unit is there: K3s would start an empty cluster.
if [ -e "$brought" ]; then
	reset_etcd "$brought"
	rm "$brought"
	echo "k3s: the cluster's data were restored from the snapshot that was brought here"
fi
write_unit
record_written
if is_applied && systemctl is-active --quiet "$unit"; then
	echo "k3s: $unit already runs this configuration"
else
	restart
	echo "k3s: $unit (re)started"
fi
