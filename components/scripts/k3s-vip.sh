# Has keepalived hold the API's own address on one of the servers whose API server is ready; safe to run again. It also puts back what was
# changed by hand, and records what it wrote (internal/k3shost/record.sh).
#
# Variables: NAME (of this node), ADDRESS (of this node), PEERS (the other servers' addresses), VIP, ROUTER (1-255, the same on all), MARK
# (the first line of a configuration that is Strata's).
umask 077
conf=/etc/keepalived/keepalived.conf
check=/etc/keepalived/strata-api-ready.sh
files=/var/lib/strata/keepalived.files
if [ -s "$conf" ] && [ "$(head -n 1 "$conf")" != "$MARK" ] && [ -z "$(recorded_sum "$files" "$conf")" ]; then
	echo "k3s: $conf is there and not Strata's; remove it, or take k3s.vip out of the configuration" >&2
	exit 1
fi
interface=$(ip -o -4 addr show to "$ADDRESS/32" | awk '{ print $2; exit }')
[ -n "$interface" ] || {
	echo "k3s: no interface has the address $ADDRESS of node $NAME; see: ip addr" >&2
	exit 1
}

# /ping answers before the API server does, and /readyz asks for credentials: this is K3s's own client certificate.
cat > "$check.new" <<'CHECK'
#!/bin/sh
tls=/var/lib/rancher/k3s/server/tls
exec curl --silent --fail --output /dev/null --max-time 2 --cacert "$tls/server-ca.crt" --cert "$tls/client-admin.crt" \
	--key "$tls/client-admin.key" https://127.0.0.1:6443/readyz
CHECK
chmod 700 "$check.new"
mv -f "$check.new" "$check"

# The address goes to a server that was ready first and stays there: it moves only when it has to (nopreempt). Unicast, because not
# every network carries multicast. A /32, so that no host takes it for its own address on outgoing connections.
{
	echo "$MARK"
	cat <<CONF
global_defs {
	router_id $NAME
	enable_script_security
	script_user root
}
vrrp_script api_ready {
	script "$check"
	interval 1
	timeout 3
	fall 2
	rise 2
}
vrrp_instance strata {
	state BACKUP
	nopreempt
	interface $interface
	virtual_router_id $ROUTER
	priority 100
	advert_int 1
	garp_master_refresh 10
	unicast_src_ip $ADDRESS
	unicast_peer {
$(for peer in $PEERS; do echo "		$peer"; done)
	}
	virtual_ipaddress {
		$VIP/32
	}
	track_script {
		api_ready
	}
}
CONF
} > "$conf.new"
# The marker says that the file was put in place and what runs may not have read it yet: killed in between, the next run must.
pending=/etc/keepalived/strata-restart
changes=$(compare_record "$files" keepalived)
former=$(recorded_sum "$files" "$conf")
former=${former:-$(print_lines "$conf" | cut -d ' ' -f 1)}
if [[ $changes == *running*"$conf"* ]] || [ "$(sha256sum < "$conf.new")" != "$former  -" ] || ! systemctl is-active --quiet keepalived; then
	: > "$pending"
fi
mv -f "$conf.new" "$conf"
if ! systemctl is-enabled --quiet keepalived; then
	systemctl unmask keepalived
	systemctl enable keepalived
fi
if [ "$(property keepalived NeedDaemonReload)" = yes ]; then systemctl daemon-reload; fi
if [ -e "$pending" ]; then
	systemctl restart keepalived
	rm "$pending"
	echo "k3s: keepalived (re)started for $VIP"
else
	echo "k3s: keepalived already holds $VIP with the other servers"
fi
mkdir -p "${files%/*}"
: >> "$files"
record "$files" "$conf" "$check"
