# Runs one script on a host. Standard input brings a header "SCRIPT_BYTES INPUT_BYTES SECONDS", the script, its input; then the caller
# holds it open for as long as it wants the script to live. When it ends (the caller went away, or SECONDS, if not 0, are over) the whole
# process group is ended, so that no script outlives its caller. Set before: mark, which only this run knows.
IFS=" " read -r script_bytes input_bytes seconds || exit 125
script=$(head -c "$script_bytes")
exec 3<&0
watch() {
	trap "" TERM
	timeout "$seconds" cat
	# Nothing is to be ended once the script has ended by itself.
	kill -0 "$$" || exit 0
	kill -TERM 0
	# The scripts clean up after themselves on TERM; this is how long they have.
	sleep 2
	kill -KILL 0
}
{
	head -c "$input_bytes"
	(
		# By exec: a shell keeps a copy of what it redirects for a function, and the script would not see its input end.
		exec <&3 >/dev/null 2>&1
		watch
	) &
} <&3 | {
	exec 3<&-
	(eval "$script")
	echo "strata-ended ${mark:?} $?"
}
