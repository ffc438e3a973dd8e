# Which addresses of a pool answer ARP (or IPv6 neighbour discovery), as "answers=ADDRESS MAC" lines; "ours=MAC" for the
# nodes' own. The kernel asks for the neighbour when something is sent to it, whether or not that is answered.
# Set before: addresses and nodes (lists).
: "${addresses?}" "${nodes?}"
if ! command -v ping >/dev/null || ! command -v ip >/dev/null; then
	printf 'lacks=ping or ip\nend\n'
	exit 0
fi
for address in $addresses $nodes; do
	ping -c 1 -W 2 "$address" >/dev/null 2>&1 &
done
wait
neighbour() {
	ip neigh show to "$1" | sed -n 's/.* lladdr \([0-9a-f:]*\).*/\1/p' | head -n 1
}
cat /sys/class/net/*/address | sed 's/^/ours=/'
for address in $nodes; do
	mac=$(neighbour "$address")
	if [ -n "$mac" ]; then echo "ours=$mac"; fi
done
for address in $addresses; do
	mac=$(neighbour "$address")
	if [ -n "$mac" ]; then echo "answers=$address $mac"; fi
done
echo end
