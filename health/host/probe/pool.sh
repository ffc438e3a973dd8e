# Prints which addresses answer ARP or IPv6 neighbour discovery, as "answers=ADDRESS MAC", and the nodes' own MACs as "ours=MAC". Sending a
# packet makes the kernel look up the neighbour, even if no reply comes.
# Variables: addresses and nodes (lists).
: "${addresses?}" "${nodes?}"
if ! command -v ping >/dev/null || ! command -v ip >/dev/null; then
	printf 'lacks=ping or ip\nend\n'
	exit 0
fi
for address in $addresses $nodes; do
	echo "asks=$address" # whoever waits hears that it goes on
	ping -c 1 -W 2 "$address" >/dev/null 2>&1 &
done
wait
neighbour() {
	ip neigh show to "$1" | sed -n '/FAILED/!s/.* lladdr \([0-9a-f:]*\).*/\1/p' | head -n 1
}
# An entry that the kernel remembers is no answer. arping asks again; without arping, the kernel does so within seconds.
remembered() {
	for address in $addresses; do ip neigh show to "$address"; done | grep -Eq 'STALE|DELAY|PROBE'
}
answers() {
	case $1 in *:*) return 0 ;; esac
	command -v arping >/dev/null || return 0
	device=$(ip neigh show to "$1" | sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1)
	timeout 3 arping -q -c 1 -I "$device" "$1" >/dev/null 2>&1
}
tries=0
while ! command -v arping >/dev/null && [ "$tries" -lt 50 ] && remembered; do
	tries=$((tries + 1))
	echo "remembered=$tries"
	sleep 0.2
done
cat /sys/class/net/*/address | sed 's/^/ours=/'
for address in $nodes; do
	mac=$(neighbour "$address")
	if [ -n "$mac" ]; then echo "ours=$mac"; fi
done
for address in $addresses; do
	echo "asked=$address"
	mac=$(neighbour "$address")
	if [ -n "$mac" ] && answers "$address"; then echo "answers=$address $mac"; fi
done
echo end
