# Connects to TCP ports again and again, one after the other until one fails. Prints exit code and output as "timeout 3 bash -c ':
# </dev/tcp/ADDRESS/PORT'" would: each change, and the last result again after half a second.
# Variables: address, ports (list).
: "${address:?}" "${ports:?}"
# One shell makes all attempts: on a busy host, starting programs would delay each attempt. A port that refuses is tried 25 times a second,
# because no event reports kube-proxy's change. A port that answers is tried 10 times a second, because its program may log each connection.
#
# After 250 ms without an answer, a second attempt starts. conntrack keeps sending an old connection to the Pod that its first packet found,
# even if that Pod is gone. The first attempt goes on, because the route may be slow. Without any answer in 3 s, the result is a timeout.
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
# hear sets code and said to the result of the attempt with FD $1. It fails if there is none after $2 seconds.
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
# hear_late checks whether one of the silent attempts has an answer now.
hear_late() {
	local attempt
	for attempt in "${silent[@]}"; do
		if read -r -t 0 -u "${attempt% *}" && hear "${attempt% *}" 1; then return; fi
	done
	return 1
}
# forget ends attempts; an attempt with an answer has already ended.
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
