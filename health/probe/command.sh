# Runs a command again and again, and prints its exit code and output when they changed.
# Set before: command (text); pause and calm, the seconds between a run that failed, or one that did not, and the next. The first
# is what a gate's caller waits for at the end; a run that says what the last one said costs no process but the command's own.
: "${command:?}" "${pause:?}" "${calm:?}"
last=
while :; do
	output=$(eval "$command" 2>&1)
	code=$?
	if [ "$code $output" != "$last" ]; then
		last="$code $output"
		printf 'code=%s\n' "$code"
		printf '%s\n' "$output" | head -c 4000 | sed 's/^/output=/'
		echo end
	fi
	if [ "$code" = 0 ]; then sleep "$calm"; else sleep "$pause"; fi
done
