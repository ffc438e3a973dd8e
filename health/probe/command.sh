# Runs a command again and again, and prints its exit code and output when they changed.
# Set before: command (text), pause (seconds).
: "${command:?}" "${pause:?}"
last=
while :; do
	output=$(eval "$command" 2>&1)
	now="code=$?
$(printf '%s\n' "$output" | head -c 4000 | sed 's/^/output=/')"
	if [ "$now" != "$last" ]; then
		last=$now
		printf '%s\nend\n' "$now"
	fi
	sleep "$pause"
done
