# What a host's K3s unit is doing, as key=value lines; each block ends with a line "end" and is printed when it changed.
# Set before: unit (k3s or k3s-agent), routes (yes: the IPv4 routes and flannel's tunnel as well), and the functions certificates
# and undone.
: "${unit:?}" "${routes?}"
# Modules that K3s needs again after a reboot and that no file would load. Searched once: an install writes them before.
unpersisted=$(for module in br_netfilter overlay; do
	if modinfo -F filename "$module" 2>/dev/null | grep -q '^/' &&
		! grep -rqsx "$module" /etc/modules /etc/modules-load.d /usr/lib/modules-load.d; then echo "unpersisted=$module"; fi
done)
# Those of K3s that runs; searched once, too.
dated=$(certificates)
# Lines that say why K3s does not come up: not those of its modprobe, which may fail where a feature is built in; neither informational nor progress, of the current start only, so that a mistake
# that was corrected is not held against it. What a server refuses is told as information (pkg/agent/config/config.go, Get), and so is whose turn it is in etcd and which images are imported.
troubles() {
	[ -n "$1" ] || return 0
	journalctl --quiet --no-pager --output cat --lines 300 "_SYSTEMD_INVOCATION_ID=$1" 2>/dev/null |
		awk '/level=info msg="(Waiting to retrieve |Waiting for other members |Retrying etcd cluster join|Import(ing|ed) images from )/ { print; next }
			/level=(info|debug)|^I[0-9][0-9][0-9][0-9] |^\{"level":"(info|debug)"|^modprobe: / { next }
			{ print }' | tail -n 25 | cut -c 1-700 | sed 's/^/log=/'
}
# What the server that this node joins through says to who has no credentials: 503 until it has its API, then 401. No curl here takes the proxy of
# /etc/environment, which a session has: none leads to another node, nor to the loopback address.
join() {
	server=''
	while read -r key value; do
		if [ "$key" = server: ]; then server=$value; fi
	done 2>/dev/null </etc/rancher/k3s/config.yaml.d/90-strata-join.yaml
	if [ -n "$server" ]; then echo "join=$(curl -sk --noproxy '*' -o /dev/null -w '%{http_code}' --max-time 2 "$server/readyz")"; fi
}
# etcd's own verdict on its data, which no /readyz passes on: with its alarm for space raised it reads and does not write. K3s has its metrics' port on
# the loopback address (pkg/etcd/etcd.go, listenMetricsURLs); where there is no etcd, nothing listens.
alarm() {
	health=$(curl -s --noproxy '*' --max-time 1 http://127.0.0.1:2381/health 2>/dev/null)
	case $health in
	*'"reason":"ALARM '*)
		health=${health#*'"reason":"ALARM '}
		echo "alarm=${health%%\"*}"
		;;
	esac
}
# Keys of its configuration that a server does not know, and has gone on without (pkg/configfilearg/parser.go, stripInvalidFlags).
skipped() {
	journalctl --quiet --no-pager --output cat "_SYSTEMD_INVOCATION_ID=$1" 2>/dev/null |
		sed -n 's/.*Unknown flag --\([^ ]*\) found in config.yaml, skipping.*/skipped=\1/p' | sort -u
}
# Destination and mask of each route, the default ones and those that refuse (RTF_REJECT, 0x200) left out.
known_routes() {
	while read -r _ to _ flags _ _ _ mask _; do
		case $flags in
		*[!0-9A-F]* | '') continue ;;
		esac
		if [ "$mask" != 00000000 ] && [ $((0x$flags & 0x200)) = 0 ]; then echo "route=$to $mask"; fi
	done </proc/net/route
}
# The devices of flannel's backends vxlan and wireguard-native (K3s pkg/agent/flannel). The host then answers at the first address of its Pods.
tunnel() {
	for device in flannel.1 flannel-wg; do
		if [ -e "/sys/class/net/$device" ]; then echo tunnel=yes; fi
	done
}
# One systemctl and shell builtins: what passes here is what the gate's caller waits for.
observe() {
	shown=$(systemctl show "$unit.service" -p LoadState -p ActiveState -p SubState -p NRestarts -p Restart -p Result -p ExecMainStatus \
		-p UnitFileState -p Job -p InvocationID -p ActiveEnterTimestampMonotonic)
	read -r up _ </proc/uptime
	state='' id='' since=0
	while IFS='=' read -r key value; do
		case $key in
		ActiveState) state=$value ;;
		InvocationID) id=$value ;;
		ActiveEnterTimestampMonotonic) since=$value && continue ;;
		esac
		printf '%s=%s\n' "$key" "$value"
	done <<-END
		$shown
	END
	# Told in steps: for the judge it only matters whether the unit has outlived a crash loop.
	if [ $((${up%.*} - since / 1000000)) -ge 5 ]; then echo stable=yes; fi
	if [ -n "$unpersisted" ]; then printf '%s\n' "$unpersisted"; fi
	if [ "$state" = active ] && [ -n "$dated" ]; then printf '%s\n' "$dated"; fi
	if [ "$state" = active ]; then undone; fi
	if [ "$state" = active ] && [ "$unit" = k3s ]; then alarm; fi
	if [ "$state" != active ]; then
		said=$(troubles "$id")
		if [ -n "$said" ]; then printf '%s\n' "$said"; fi
		case $said in *[Uu]nauthorized* | *'not authorized'* | *'password rejected'* | *'verify password'*) join ;; esac
	fi
	if [ "$routes" = yes ]; then known_routes && tunnel; fi
}
last='' told='' unknown=''
emit() {
	now=$(observe)
	[ "$now" = "$last" ] && return
	last=$now
	start=$(printf '%s\n' "$now" | sed -n 's/^InvocationID=//p')
	# Said at the start and never again, so the journal of each start is read once.
	if [ "$unit" = k3s ] && [ "$start" != "$told" ]; then
		case $now in *ActiveState=active*) told=$start unknown=$(skipped "$start") ;; *) unknown='' ;; esac
	fi
	if [ -n "$unknown" ]; then now="$now
$unknown"; fi
	printf '%s\nend\n' "$now"
}
# The unit on systemd's bus, where every other byte than a letter or digit is escaped.
object=/org/freedesktop/systemd1/unit/$(printf '%s' "$unit.service" | sed 's/-/_2d/g; s/\./_2e/g')
emit
# What wakes the next observation, each as lines of its own. systemd's signal comes within milliseconds of a change, but only where
# something has asked systemd for signals (logind does) and there is a bus. The journal has a line for each step of a unit, but
# journald tells its readers up to 250 ms late (POST_CHANGE_TIMER_INTERVAL_USEC). The tick is for what neither says.
{
	if command -v busctl >/dev/null; then
		busctl --json=short --match="type='signal',path='$object',member='PropertiesChanged',arg0='org.freedesktop.systemd1.Unit'" monitor 2>/dev/null &
	fi
	journalctl --quiet --follow --lines 0 --output cat _PID=1 "UNIT=$unit.service" &
	while :; do
		sleep 1
		echo tick
	done
} | while read -r event; do
	case $event in
	# One of the many steps of a start. The tick shows it; an observation now could only delay the one at the end.
	*'"ActiveState":{"type":"s","data":"activating"}'*) ;;
	*) emit ;;
	esac
done
