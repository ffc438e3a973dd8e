# Prints the state of a host's K3s unit as key=value lines; each block ends with a line "end" and is printed when it has changed.
# Variables: unit (k3s or k3s-agent), routes (yes: also the IPv4 routes and flannel's tunnel).
# Functions: certificates, undone.
: "${unit:?}" "${routes?}"
# Modules that K3s needs and that no file loads at boot. One search is enough: only an install writes such files, before this script starts.
unpersisted=$(for module in br_netfilter overlay; do
	if modinfo -F filename "$module" 2>/dev/null | grep -q '^/' &&
		! grep -rqsx "$module" /etc/modules /etc/modules-load.d /usr/lib/modules-load.d; then echo "unpersisted=$module"; fi
done)
# K3s's certificates, also read once.
dated=$(certificates)
# Prints log lines of the unit's current start that may say why K3s is not up. Omits info and debug lines and those of modprobe, which may fail
# for built-in features. Keeps the info lines about refused joins, the wait for etcd and imports of images (pkg/agent/config/config.go, Get).
troubles() {
	[ -n "$1" ] || return 0
	journalctl --quiet --no-pager --output cat --lines 300 "_SYSTEMD_INVOCATION_ID=$1" 2>/dev/null |
		awk '/level=info msg="(Waiting to retrieve |Waiting for other members |Retrying etcd cluster join|Import(ing|ed) images from )/ { print; next }
			/level=(info|debug)|^I[0-9][0-9][0-9][0-9] |^\{"level":"(info|debug)"|^modprobe: / { next }
			{ print }' | tail -n 25 | cut -c 1-700 | sed 's/^/log=/'
}
# Prints the join server's HTTP status without credentials: 503 until its API is up, then 401. No curl here uses a proxy of /etc/environment,
# because no proxy leads to a node or to loopback.
join() {
	server=''
	while read -r key value; do
		if [ "$key" = server: ]; then server=$value; fi
	done 2>/dev/null </etc/rancher/k3s/config.yaml.d/90-strata-join.yaml
	if [ -n "$server" ]; then echo "join=$(curl -sk --noproxy '*' -o /dev/null -w '%{http_code}' --max-time 2 "$server/readyz")"; fi
}
# Prints etcd's alarm, which /readyz does not report. With the alarm NOSPACE, etcd only reads. The port is K3s's for etcd metrics on loopback
# (pkg/etcd/etcd.go, listenMetricsURLs).
alarm() {
	health=$(curl -s --noproxy '*' --max-time 1 http://127.0.0.1:2381/health 2>/dev/null)
	case $health in
	*'"reason":"ALARM '*)
		health=${health#*'"reason":"ALARM '}
		echo "alarm=${health%%\"*}"
		;;
	esac
}
# Prints the configuration keys that a server ignored because it does not know them (pkg/configfilearg/parser.go, stripInvalidFlags).
skipped() {
	journalctl --quiet --no-pager --output cat "_SYSTEMD_INVOCATION_ID=$1" 2>/dev/null |
		sed -n 's/.*Unknown flag --\([^ ]*\) found in config.yaml, skipping.*/skipped=\1/p' | sort -u
}
# Prints destination and mask of each route, without default routes and routes that refuse (RTF_REJECT, 0x200).
known_routes() {
	while read -r _ to _ flags _ _ _ mask _; do
		case $flags in
		*[!0-9A-F]* | '') continue ;;
		esac
		if [ "$mask" != 00000000 ] && [ $((0x$flags & 0x200)) = 0 ]; then echo "route=$to $mask"; fi
	done </proc/net/route
}
# flannel's backends vxlan and wireguard-native have a device (K3s pkg/agent/flannel). The host then answers at the first address of its Pods.
tunnel() {
	for device in flannel.1 flannel-wg; do
		if [ -e "/sys/class/net/$device" ]; then echo tunnel=yes; fi
	done
}
# The caller waits for this observation, so it starts only one program and uses shell builtins.
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
	# Only whether the unit has outlived a crash loop matters, so the age itself is not printed.
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
	# K3s logs the skipped keys only at its start, so the journal of each start is read once.
	if [ "$unit" = k3s ] && [ "$start" != "$told" ]; then
		case $now in *ActiveState=active*) told=$start unknown=$(skipped "$start") ;; *) unknown='' ;; esac
	fi
	if [ -n "$unknown" ]; then now="$now
$unknown"; fi
	printf '%s\nend\n' "$now"
}
# The unit's D-Bus path, in which every byte except letters and digits is escaped.
object=/org/freedesktop/systemd1/unit/$(printf '%s' "$unit.service" | sed 's/-/_2d/g; s/\./_2e/g')
emit
# Each line of these programs starts an observation. D-Bus signals come within milliseconds, but only if there is a bus and a program (logind)
# has subscribed to systemd's signals. The journal has a line for each step, up to 250 ms late (POST_CHANGE_TIMER_INTERVAL_USEC). The tick
# covers all other changes.
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
	# A start has many steps. The tick reports them; an observation now could delay that of the last step.
	*'"ActiveState":{"type":"s","data":"activating"}'*) ;;
	*) emit ;;
	esac
done
