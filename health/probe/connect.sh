# Connects to TCP ports again and again, each time one after the other until one fails, and prints exit code and output as
# "timeout 3 bash -c ': </dev/tcp/ADDRESS/PORT'" would have them. Several times a second it prints what has not changed.
# Set before: address, ports (list).
: "${address:?}" "${ports:?}"
# One shell makes the attempts of half a second, because on a host that starts things each program waits for its turn: at four
# of them to an attempt, the gate heard of the answer half a second late. A port that refuses is tried 25 times a second, since
# nothing tells when kube-proxy has taken it up; one that answers ten times, since each of these is a line in its program's log.
# shellcheck disable=SC2016
attempts='
exec 9<> <(:) # Nothing ever comes here: reading from it is a pause without a process.
address=$1 last="" left=500
shift
while [ "$left" -gt 0 ]; do
	code=0
	for port; do
		output=$({ : <"/dev/tcp/$address/$port"; } 2>&1) || { code=$? && break; }
	done
	if [ "$code $output" != "$last" ]; then
		last="$code $output"
		echo "code=$code"
		while read -r line; do echo "output=$line"; done <<<"$output"
		echo end
	fi
	if [ "$code" = 0 ]; then pause=100; else pause=040; fi
	left=$((left - 10#$pause))
	read -r -t "0.$pause" -u 9
done
exit 0'
while :; do
	# shellcheck disable=SC2086
	timeout 3 bash -c "$attempts" bash "$address" $ports
	code=$?
	case $code in
	0) ;; # Its time is up.
	124) printf 'code=%s\nend\n' "$code" ;;
	*)
		printf 'code=%s\noutput=cannot run timeout and bash\nend\n' "$code"
		sleep 1
		;;
	esac
done
