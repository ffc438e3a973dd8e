# Installs or reconfigures K3s on this host; safe to run again at any point. config.yaml comes on stdin because it holds
# the token. The unit is started without blocking: a node that cannot join would block `systemctl start` for ever
# (TimeoutStartSec=0 in the unit that K3s's installer writes), and the gate that follows says why instead.
#
# Variables: ROLE (server or agent), FIRST (true for the server that bootstraps the cluster), PEERS (the other servers'
# addresses for a server, all servers' for an agent), BINARY_SHA256.
umask 077
unit=k3s
[ "$ROLE" = server ] || unit=k3s-agent
config=/etc/rancher/k3s/config.yaml
join=/etc/rancher/k3s/config.yaml.d/90-strata-join.yaml
applied=/var/lib/strata/k3s.applied
mkdir -p /etc/rancher/k3s/config.yaml.d /var/lib/strata

echo "$BINARY_SHA256  /usr/local/bin/k3s" | sha256sum --check --status || {
	echo "k3s: /usr/local/bin/k3s has not the sha256 $BINARY_SHA256; run 'pulumi up' again to push it" >&2
	exit 1
}

# A host that the last uninstall left behind as a server must not come back as an agent, or the other way round.
for other in k3s k3s-agent; do
	if [ "$other" != "$unit" ] && [ -e "/etc/systemd/system/$other.service" ]; then
		echo "k3s: this host already runs $other; run /usr/local/bin/$other-uninstall.sh (k3s-uninstall.sh for a server) first" >&2
		exit 1
	fi
done

cat > "$config.new"
mv "$config.new" "$config"

answering_peer() {
	for peer in $PEERS; do
		if [ "$(curl -sk --max-time 3 "https://$peer:6443/ping")" = pong ]; then
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

# A host that was about to leave may stay after all (internal/members holds it with this file).
rm -f "/run/systemd/system/$unit.service.d/90-strata-leaving.conf"
env -i PATH="$PATH" INSTALL_K3S_SKIP_DOWNLOAD=true INSTALL_K3S_SKIP_START=true INSTALL_K3S_EXEC="$ROLE" \
	sh /var/lib/strata/k3s-install.sh

# K3s reads its configuration only at start, and its installer does not look at config.yaml, so the restart is decided here.
sum=$(cat "$config" "$join" "/etc/systemd/system/$unit.service" /usr/local/bin/k3s | sha256sum)
if [ "$(cat "$applied" 2>/dev/null)" = "$sum" ] && systemctl is-active --quiet "$unit"; then
	echo "k3s: $unit already runs this configuration"
else
	systemctl enable "$unit"
	systemctl restart --no-block "$unit"
	echo "$sum" > "$applied"
	echo "k3s: $unit (re)started"
fi
