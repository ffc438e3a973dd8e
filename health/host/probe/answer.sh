# Asks for an answer at addresses of the Pod network, once and then again every half minute; at once where one gave none. As soon as it is known
# it prints answer=ADDRESS and what came back: "full" to packets of full size, "small" to the first packet only, "none"; "echo" where the port gave no
# such answer, and an ICMP echo of full size came back.
# Set before: addresses (list), port.
: "${addresses:?}" "${port:?}"
# A packet that fills the tunnel's MTU; its own 28 bytes are IP's and ICMP's headers.
mtu=1450
for device in flannel.1 flannel-wg; do
	if [ -r "/sys/class/net/$device/mtu" ]; then read -r mtu <"/sys/class/net/$device/mtu"; fi
done
# Whatever comes back counts, also a reset: it is the way that is asked for, not who is there. What the port leaves unanswered may be a
# packet filter's doing, or a kubelet's that hangs.
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
# One printf, which is one write: they print side by side.
again() {
	while :; do
		answer=$(ask "$1")
		printf 'answer=%s %s\nend\n' "$1" "$answer" || exit
		case $answer in full) sleep 30 ;; *) sleep 1 ;; esac
	done
}
for address in $addresses; do again "$address" & done
wait
