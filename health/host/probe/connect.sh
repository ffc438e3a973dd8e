# Connects to TCP ports again and again, each time one after the other until one fails, and prints exit code and output as
# "timeout 3 bash -c ': </dev/tcp/ADDRESS/PORT'" would have them. Several times a second it prints what has not changed.
# Set before: address, ports (list).
: "${address:?}" "${ports:?}"
# One shell makes all attempts, because on a host that starts things each program waits for its turn: at four of them to an attempt,
# the gate heard of the answer half a second late. A port that refuses is tried 25 times a second, since nothing tells when kube-proxy
# has taken it up; one that answers ten times, since each of these is a line in its program's log.
#
# An attempt that hears nothing gets company after 250 ms: conntrack keeps a connection on the way that its first packet found, so one
# that was begun while kube-proxy still had a Pod that is gone never arrives, whoever has come since, and a first packet that is lost is
# repeated only after a second. The old one goes on, since a way may be long; nothing at all for three seconds is a timeout.
attempts=$(
	cat <<'BASH'
exec 9<> <(:) # Nothing ever comes here: reading from it is a pause without a process.
address=$1 last="" left=0
silent=() # the attempts without an answer yet, "FD PROCESS" each, the oldest first
shift
connect() {
	local port
	for port; do { : <"/dev/tcp/$address/$port"; } 2>&1 || { echo "code=$?" && return; }; done
	echo code=0
}
# hear reads what an attempt says within so many seconds: code and said. It fails if that is nothing.
hear() {
	local line
	code="" said=""
	while read -r -t "$2" -u "$1" line; do
		case $line in
		code=*) code=${line#code=} ;;
		*) said+="output=$line"$'\n' ;;
		esac
	done
	[ "$code" != "" ]
}
# hear_late checks whether one of the silent attempts has an answer after all.
hear_late() {
	local attempt
	for attempt in "${silent[@]}"; do
		if read -r -t 0 -u "${attempt% *}" && hear "${attempt% *}" 1; then return; fi
	done
	return 1
}
# forget ends attempts; one that has been heard has ended by itself.
forget() {
	local attempt fd
	for attempt; do
		fd=${attempt% *}
		read -r -t 0 -u "$fd" || kill "${attempt#* }"
		exec {fd}<&-
	done
}
while :; do
	exec {fd}< <(connect "$@")
	silent+=("$fd $!")
	if hear "$fd" 0.25 || hear_late; then
		forget "${silent[@]}"
		silent=()
	elif [ ${#silent[@]} -lt 12 ]; then # three seconds
		continue
	else
		forget "${silent[0]}"
		silent=("${silent[@]:1}") code=124 said="" left=0
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
