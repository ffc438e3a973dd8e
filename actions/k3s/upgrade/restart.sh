# Starts the wanted K3s in place of the one that runs, and says when. Set before: as for observe.sh.
: "${unit:?}"
one_at_a_time
verify_staged
place
write_unit >&2
restart >&2
date +%s
