# Connects to addresses of the Pod network, and again every 30 s, or every second without a full answer. Prints answer=ADDRESS and the answer:
# "full" (also to packets of full size), "small" (to the first packet only), "echo" (to a full ICMP echo only) or "none".
# Variables: addresses (list), port.
: "${addresses:?}" "${port:?}"
# The ICMP echo fills the tunnel's MTU; 28 of its bytes are the headers of IP and ICMP.
mtu=1450
for device in flannel.1 flannel-wg; do
	if [ -r "/sys/class/net/$device/mtu" ]; then read -r mtu <"/sys/class/net/$device/mtu"; fi
done
# Any reply proves the route, also a reset. If the port gives no reply, ICMP shows whether the host does: a packet filter may drop TCP, or a
# kubelet may hang.
ask() {
	# shellcheck disable=SC2016
	said=$(LC_ALL=C timeout 2 bash -c '
		exec 3<>"/dev/tcp/$1/$2" && echo connected || exit
		head -c 4000 /dev/zero >&3
		head -c 1 <&3 >/dev/null
		echo heard
	' bash "$1" "$port" 2>&1)
	case $said in *heard* | *refused*) echo full && return ;; esac
	if ping -q -c 1 -W 1 -s $((mtu - 28)) "$1" >/dev/null 2>&1; then
		echo echo
		return
	fi
	case $said in connected*) echo small ;; *) echo none ;; esac
}
# The background jobs print at the same time, so each block is one write of one printf.
again() {
	while :; do
		answer=$(ask "$1")
		printf 'answer=%s %s\nend\n' "$1" "$answer" || exit
		case $answer in full) sleep 30 ;; *) sleep 1 ;; esac
	done
}
for address in $addresses; do again "$address" & done
wait
