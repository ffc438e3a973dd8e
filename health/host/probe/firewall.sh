# Prints the rules of the host's firewalls, as the firewalls' own programs list them. Runs no program that would load a kernel module. Omits the
# rules of K3s, flannel and containers, which never accept packets that other rules drop.
firewall() {
	if grep -qs '^ENABLED=yes' /etc/ufw/ufw.conf && command -v ufw >/dev/null; then
		LC_ALL=C ufw status verbose 2>/dev/null | sed 's/^/ufw=/'
	elif command -v firewall-cmd >/dev/null && firewall-cmd --state >/dev/null 2>&1; then
		firewall-cmd --get-default-zone | sed 's/^/firewalld_default=/'
		LC_ALL=C firewall-cmd --list-all-zones | sed 's/^/firewalld=/'
		grep -Eo '<port [^>]*"(6443|2379|2380|2379-2380|10250|7946|8472|51820)"[^>]*>' \
			/usr/lib/firewalld/services/*.xml /etc/firewalld/services/*.xml 2>/dev/null | sed 's/^/firewalld_service=/'
	else
		filters
	fi
}

filters() {
	skipped='ip filter'
	if ! command -v iptables-save >/dev/null; then
		skipped=''
	elif [ -s /proc/net/ip_tables_names ] || [ -d /sys/module/nf_tables ]; then
		iptables-save 2>/dev/null | awk '
			/^[*]/ { on = $1 == "*filter" }
			on && /^(:INPUT|-A)/ && !/KUBE-|FLANNEL-|CNI-|DOCKER|-A (FORWARD|OUTPUT) / { print "iptables=" $0 }'
	fi
	if [ ! -d /sys/module/nf_tables ] || ! command -v nft >/dev/null; then return; fi
	nft list tables 2>/dev/null | while read -r _ family name; do
		case $family-$name in
		*-kube-proxy | *-firewalld | ip-nat | ip-mangle | ip-raw | ip6-* | arp-* | bridge-* | netdev-*) continue ;;
		esac
		if [ "$family $name" != "$skipped" ]; then nft list table "$family" "$name" | sed 's/^/nft=/'; fi
	done
}
