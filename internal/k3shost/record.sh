# The record of the files that Strata wrote on this host, and what differs from it. A record has a line for each file: its sha256, mode,
# owner, time of change and path. POSIX shell, as the steps of an upgrade are.

# Prints the lines of the files that exist.
print_lines() {
	for path in "$@"; do
		if [ -f "$path" ]; then
			sum=$(sha256sum < "$path")
			echo "${sum%% *} $(stat -c '%a %u:%g %.9Z' "$path") $path"
		fi
	done
}

# Replaces in the record $1 the lines of the files that follow. A host without a record gets none: only an install begins one.
record() (
	umask 077
	list=$1
	shift
	if [ ! -e "$list" ]; then return; fi
	{
		awk -v paths=" $* " '!index(paths, " " $5 " ")' "$list"
		print_lines "$@"
	} > "$list.new"
	sync "$list.new"
	mv "$list.new" "$list"
)

# Prints the sha256 that the record $1 has for the file $2.
recorded_sum() { if [ -e "$1" ]; then awk -v path="$2" '$5 == path { print $1 }' "$1"; fi; }

# Prints the property $2 of the unit $1.
property() { TZ=UTC systemctl show "$1.service" -p "$2" | cut -d= -f2-; }

# Prints the time at which the process of the unit $1 started, in seconds since 1970; 0 if the unit is not active.
started() {
	if [ "$(property "$1" ActiveState)" = active ]; then date -d "$(property "$1" ExecMainStartTimestamp)" +%s; else echo 0; fi
}

# Prints a time in seconds since 1970 as a date.
show_time() { date -u -d "@$1" +%Y-%m-%dT%H:%M:%SZ; }

# Prints a line for each file of the record on stdin that differs, with tabs between its fields: verdict, "running" if the process that started
# at $1 may have read the file when it differed, evidence, path. $2 is the time of the record.
compare_files() {
	begun=$1 recorded=$2
	while read -r sum mode own exact path; do
		verdict=changed what='' at='' running=''
		if [ ! -e "$path" ] && [ ! -L "$path" ]; then
			verdict=missing
			# K3s does not start without its binary or unit.
			case $path in *.service | */k3s) ;; *) if [ "$begun" -gt "$recorded" ]; then running=running; fi ;; esac
		elif [ ! -f "$path" ]; then
			what=', no regular file'
		else
			# shellcheck disable=SC2046 # words
			set -- $(stat -c '%a %u:%g %Y %Z %.9Z' "$path")
			at=$4
			# The kernel sets this time at each change of the content, mode or owner, so a large file need not be read.
			if [ "$5" = "$exact" ] || [ "$sum" = - ]; then continue; fi
			found=$(sha256sum < "$path")
			if [ "${found%% *}" != "$sum" ]; then
				what=', content'
				if [ "$at" -le "$begun" ]; then running=running; fi
				at=$3
			elif [ "$3" -gt "$begun" ] && [ "$begun" -gt "$recorded" ]; then
				what=', written again after the start of what runs' running=running at=$3
			fi
			if [ "$mode" != - ] && [ "$1 $2" != "$mode $own" ]; then what="$what, mode and owner $1 $2 in place of $mode $own"; fi
			if [ -z "$what" ]; then continue; fi
		fi
		case $path in */80-strata-node.yaml | */modules-load.d/* | *-killall.sh | *-uninstall.sh | *-ready.sh | */owner) running='' ;; esac
		what=${what#, }
		printf '%s\t%s\t%s\t%s\n' "$verdict" "$running" "$what${at:+ at $(show_time "$at")}" "$path"
	done
}

# Prints what differs from the record $1 of the unit $2, as compare_files does.
compare_record() {
	if [ ! -e "$1" ]; then return; fi
	since=$(stat -c %Y "$1")
	compare_files "$(started "$2")" "$since" < "$1"
}
