# Installs or reconfigures K3s on this host; safe to run again at any point. config.yaml comes on stdin because it holds
# the token; behind it come other files, if there are any, each after a line "# file: NAME". The unit is started without blocking: a node that cannot join would block `systemctl start` for ever
# (TimeoutStartSec=0 in the unit that K3s's installer writes), and the gate that follows says why instead.
#
# A K3s that runs keeps its binary: changing that is the upgrade's work, which empties the node first.
#
# Variables: ROLE (server or agent), FIRST (true for the server that bootstraps the cluster), PEERS (the other servers'
# addresses for a server, all servers' for an agent), BINARY_SHA256, CONFIG_SHA256 (of what stdin brings), and those of internal/k3s/node's
# owner.sh. internal/k3s/node has the functions.
umask 077
: "${unit:?}" "${program:?}"
config=/etc/rancher/k3s/config.yaml
join=/etc/rancher/k3s/config.yaml.d/90-strata-join.yaml
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
place_files "$config.new"
sed '/^# file: /,$d' "$config.new" > "$config.cut"
sync "$config.cut"
mv "$config.cut" "$config"
rm "$config.new"

# A session has what /etc/environment sets, and no proxy leads to another node.
answering_peer() {
	for peer in $PEERS; do
		if [ "$(curl -sk --noproxy '*' --max-time 3 "https://$peer:6443/ping")" = pong ]; then
			echo "$peer"
			return
		fi
	done
}

# A server that has etcd data is a member already and keeps how it joined. Without data it joins whoever answers; only the
# first server may start a new cluster, and only when no other server answers: starting one beside a living cluster would
# split it.
joined_to() { [ -e "$join" ] && sed -n 's|^server: https://\(.*\):6443$|\1|p' "$join"; }
if [ "$ROLE" = server ] && [ -d /var/lib/rancher/k3s/server/db/etcd ] && [ -e "$join" ]; then
	:
elif [ "$ROLE" = agent ] && current=$(joined_to) && [ -n "$current" ] && [[ " $PEERS " == *" $current "* ]]; then
	:
elif peer=$(answering_peer) && [ -n "$peer" ]; then
	echo "server: https://$peer:6443" > "$join"
elif [ "$ROLE" = server ] && [ "$FIRST" = true ]; then
	echo "cluster-init: true" > "$join"
else
	echo "k3s: no server answers https://{${PEERS// /,}}:6443/ping, so this node cannot join" >&2
	exit 1
fi

# Modules are loaded again after a reboot; one that is built in needs no line.
for module in br_netfilter overlay; do
	if modinfo -F filename "$module" 2>/dev/null | grep -q '^/'; then echo "$module"; fi
done > /etc/modules-load.d/strata-k3s.conf
[ -s /etc/modules-load.d/strata-k3s.conf ] || rm /etc/modules-load.d/strata-k3s.conf

# A host that was about to leave may stay after all (internal/k3s/members holds it with this file).
rm -f "/run/systemd/system/$unit.service.d/90-strata-leaving.conf"
if systemctl is-active --quiet "$unit" && ! is_wanted "$program"; then
	echo "k3s: $unit goes on with its old binary until its upgrade, which takes the configuration along"
	exit
fi
is_wanted "$program" || place
write_unit
if is_applied && systemctl is-active --quiet "$unit"; then
	echo "k3s: $unit already runs this configuration"
else
	restart
	echo "k3s: $unit (re)started"
fi
