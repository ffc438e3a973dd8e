# Writes standard input to $dest, which appears complete and verified or not at all. What arrives of a transfer that breaks off is kept in
# $part, and the next one goes on behind it.
# It prints a dot for each $chunk bytes that it has taken: the caller is never far ahead.
# Set before: dest, part, mode, want (sha256), size (bytes), from (bytes of $part that stay), chunk (bytes).
set -eu
: "${dest:?}" "${part:?}" "${mode:?}" "${want:?}" "${size:?}" "${from:?}" "${chunk:?}"
fail() {
	printf '%s\n' "$1" >&2
	exit "${2:-1}"
}
dir=$(dirname -- "$dest")
(umask 022 && mkdir -p -- "$dir")
umask 077
# Whoever writes a part holds a lock on it, and the kernel frees that. The folder is locked from the look at others up to the lock on this one.
exec 8<"$dir"
flock 8
drop_parts() {
	find "$dir" -maxdepth 1 -type f -name '.strata-push.*' ! -path "$part" "$@" | while read -r left; do
		if flock -n -- "$left" rm -f -- "$left"; then :; fi
	done
}
free() { echo $(($(df -Pk -- "$dir" | awk 'NR == 2 { print $4 }') * 1024)); }
# No push has gone on with these for a day: their file has arrived otherwise, or is not wanted any more.
drop_parts -mmin +1440
[ "$(free)" -ge $((size - from)) ] || drop_parts
free=$(free)
if [ "$free" -lt $((size - from)) ]; then
	fail "no space in $dir: needs $(((size - from) / 1048576 + 1)) MiB, $((free / 1048576)) MiB are free; free some or enlarge the disk" 28
fi
trap 'exit 143' HUP INT TERM
# Or the first word to a caller that has gone would end this.
trap '' PIPE
exec 9>>"$part"
flock -w 10 9 || fail "another push writes $part"
exec 8<&-
[ "$(stat -c %s -- "$part")" -ge "$from" ] || fail "$part is shorter than it was a moment ago: run this again"
truncate -s "$from" -- "$part"
left=$((size - from))
while [ "$left" -gt 0 ]; do
	dd bs="$chunk" count=1 iflag=fullblock status=none >&9 || {
		code=$?
		[ "$code" -lt 128 ] || exit "$code"
		rm -f -- "$part"
		fail "cannot write $part: disk full or failing; $(df -Ph -- "$dir" | awk 'NR == 2 { print $4 " free" }')" 28
	}
	printf . || break
	left=$((left - chunk))
done
arrived=$(stat -c %s -- "$part")
[ "$arrived" -ge "$size" ] || fail "the transfer of $dest broke off behind $arrived of $size bytes, which stay: run this again to go on" 75
got=$(sha256sum <"$part")
got=${got%% *}
if [ "$got" != "$want" ]; then
	rm -f -- "$part"
	fail "sum of what arrived for $dest: expected sha256 $want, found $got; the local file is not the recorded one" 65
fi
chmod -- "$mode" "$part"
sync -- "$part"
mv -fT -- "$part" "$dest"
