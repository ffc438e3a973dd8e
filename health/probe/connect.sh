# Connects to TCP ports again and again, each time one after the other until one fails, and prints exit code and output as
# "timeout 3 bash -c ': </dev/tcp/ADDRESS/PORT'" would have them. Several times a second it prints what has not changed.
# Set before: address, ports (list).
: "${address:?}" "${ports:?}"
# One shell makes all attempts, because on a host that starts things each program waits for its turn: at four of them to an attempt,
# the gate heard of the answer half a second late. A port that refuses is tried 25 times a second, since nothing tells when kube-proxy
# has taken it up; one that answers ten times, since each of these is a line in its program's log.
#
# An attempt that hears nothing makes way for a new one before its three seconds are up: conntrack keeps a connection on the way that
# its first packet found, so one that was begun while kube-proxy still had a Pod that is gone never arrives, whoever has come since.
attempts=$(
	cat <<'BASH'
exec 9<> <(:) # Nothing ever comes here: reading from it is a pause without a process.
address=$1 bounds=(0.25 0.75 2) silent=0 last="" left=0
shift
connect() {
	local port
	for port; do { : <"/dev/tcp/$address/$port"; } 2>&1 || { echo "code=$?" && return; }; done
	echo code=0
}
while :; do
	code="" said=""
	exec 8< <(connect "$@")
	connecting=$!
	while read -r -t "${bounds[silent]}" -u 8 line; do
		case $line in
		code=*) code=${line#code=} silent=0 ;;
		*) said+="output=$line"$'\n' ;;
		esac
	done
	if [ "$code" = "" ]; then
		kill "$connecting"
		if [ "$silent" -lt $((${#bounds[@]} - 1)) ]; then
			silent=$((silent + 1))
			continue
		fi
		code=124 left=0
	fi
	if [ "$code $said" != "$last" ] || [ "$left" -le 0 ]; then
		last="$code $said" left=500
		printf 'code=%s\n%send\n' "$code" "$said" || exit
	fi
	if [ "$code" = 0 ]; then pause=100; else pause=040; fi
	left=$((left - 10#$pause))
	read -r -t "0.$pause" -u 9
done
BASH
)
while :; do
	# shellcheck disable=SC2086
	bash -c "$attempts" bash "$address" $ports
	printf 'code=%s\noutput=cannot run bash\nend\n' "$?"
	sleep 1
done
