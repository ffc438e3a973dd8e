# Compares this host with the records of its last installs, and prints a line for each difference, without the content of any file. Tabs
# separate its fields: owner (the end of the name of the resource that puts it back), verdict, a word that says more (hosts.go),
# evidence, thing. Read only. Set before: CLUSTER and NODE, of the stack; pushed, lines of a record; the functions of record.sh and sysctls.sh.
: "${CLUSTER?}" "${NODE?}" "${pushed?}"
owner=/var/lib/strata/owner
record=/var/lib/strata/k3s.files
show() { printf '%s\t%s\t%s\t%s\t%s\n' "$@"; }

# Compares the unit $1, whose resource is $2, and its drop-ins.
compare_unit() {
	if state=$(systemctl is-enabled "$1.service" 2> /dev/null); then :; fi
	case $state in
	enabled | '' | not-found) ;; # a missing file has a line of its own
	*) show "$2" changed '' "is $state" "unit $1" ;;
	esac
	active=$(property "$1" ActiveState)
	# One that is about to be started has a job.
	case $active/$(property "$1" Job) in
	inactive/ | failed/)
		since=$(property "$1" InactiveEnterTimestamp)
		show "$2" changed '' "is $active${since:+ since $since}" "unit $1"
		;;
	esac
	if [ "$(property "$1" NeedDaemonReload)" = yes ]; then show "$2" changed '' "systemd has not read its files again" "unit $1"; fi
	for path in "/etc/systemd/system/$1.service.d"/*.conf "/run/systemd/system/$1.service.d"/*.conf; do show_extra "$2" "$path"; done
}

# Prints the line of the file $2 if it exists and Strata did not write it.
show_extra() {
	case ${2##*/} in *-strata-*) return ;; esac
	if [ -e "$2" ]; then show "$1" extra extra "written at $(show_time "$(stat -c %Y "$2")")" "$2"; fi
}

# Puts the owner $1 before each line of a comparison on stdin.
add_owner() { while IFS= read -r line; do printf '%s\t%s\n' "$1" "$line"; done; }

# Compares what K3s needs of the kernel while it runs.
compare_kernel() {
	undone | sed 's/^undone=//; s|/|.|g' | while read -r key; do show install changed '' "is 0" "sysctl $key"; done
	if [ ! -e /etc/modules-load.d/strata-k3s.conf ]; then return; fi
	while read -r module; do
		if [ ! -e "/sys/module/$module" ]; then show install missing '' '' "module $module"; fi
	done < /etc/modules-load.d/strata-k3s.conf
}

if [ ! -e "$record" ] || [ -e /var/lib/strata/restoring ]; then exit; fi
unit=$(awk '$5 ~ /\/k3s(-agent)?\.service$/ { sub(/.*\//, "", $5); sub(/\.service$/, "", $5); print $5 }' "$record")
# The node is being removed, or an install did not end.
if [ -e "/run/systemd/system/$unit.service.d/90-strata-leaving.conf" ] || [ -z "$unit" ]; then exit; fi
if [ -e "$owner" ] && ! { grep -qx "cluster=$CLUSTER" "$owner" && grep -qx "node=$NODE" "$owner"; }; then
	show install changed owner "names another owner" "$owner"
	exit
fi
compare_record "$record" "$unit" | add_owner install
printf '%s' "$pushed" | compare_files 0 0 | add_owner push
# Without its unit, K3s was uninstalled; then its former membership must end.
if [ ! -e "/etc/systemd/system/$unit.service" ] && [ ! -e /var/lib/rancher/k3s ]; then
	show admission missing '' "K3s was uninstalled" /var/lib/rancher/k3s
fi
compare_unit "$unit" install
for path in /etc/rancher/k3s/config.yaml.d/*.y*ml "/etc/default/$unit" "/etc/sysconfig/$unit"; do show_extra install "$path"; done
if [ "$(property "$unit" ActiveState)" = active ]; then compare_kernel; fi
record=/var/lib/strata/keepalived.files
if [ ! -e "$record" ]; then exit; fi
if ! command -v keepalived > /dev/null; then
	show keepalived missing package "its package was removed" "unit keepalived"
else
	compare_record "$record" keepalived | add_owner keepalived
	compare_unit keepalived keepalived
fi
