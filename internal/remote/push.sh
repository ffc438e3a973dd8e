# Writes standard input to $dest, which appears complete and verified or not at all.
# Set before: dest, mode, want (sha256), size (bytes).
set -eu
: "${dest:?}" "${mode:?}" "${want:?}" "${size:?}"
fail() {
	printf '%s\n' "$1" >&2
	exit "${2:-1}"
}
dir=$(dirname -- "$dest")
(umask 022 && mkdir -p -- "$dir")
free=$(($(df -Pk -- "$dir" | awk 'NR == 2 { print $4 }') * 1024))
if [ "$free" -lt "$size" ]; then
	fail "no space in $dir: needs $((size / 1048576 + 1)) MiB, $((free / 1048576)) MiB are free; free some or enlarge the disk" 28
fi
umask 077
# Whoever writes a part holds a lock on it, and the kernel frees that: a part whose lock is free is of a push that was killed, or of before a
# reboot. The folder is locked from the look at others up to the lock on this one.
exec 8<"$dir"
flock 8
for left in "$dir"/.strata-push.??????; do
	if [ -f "$left" ] && flock -n -- "$left" rm -f -- "$left"; then :; fi
done
# The name ends in nothing that a program which watches the folder would pick up.
part=$(mktemp -- "$dir/.strata-push.XXXXXX")
trap 'rm -f -- "$part"' EXIT
trap 'exit 143' HUP INT TERM
# Or the first word to a caller that has gone would end this without the trap on EXIT.
trap '' PIPE
exec 9>"$part"
flock 9
exec 8<&-
cat >&9 || fail "cannot write $part: disk full or failing; $(df -Ph -- "$dir" | awk 'NR == 2 { print $4 " free" }')" 28
got=$(sha256sum <"$part")
got=${got%% *}
[ "$got" = "$want" ] || fail "sum of what arrived for $dest: expected sha256 $want, found $got; the local file is not the recorded one, or the transfer broke off"
chmod -- "$mode" "$part"
sync -- "$part"
mv -fT -- "$part" "$dest"
trap - EXIT
