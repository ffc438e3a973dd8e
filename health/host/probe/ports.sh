# Prints the holder of each port as "port=NUMBER free" or "port=NUMBER held UNIT COMMAND". The inode of a socket leads to a process, and the
# process's control group to the unit. Processes are searched only for held ports, K3s's first, because a K3s host has thousands of open files.
# Variables: ports (list).
: "${ports?}"

listening() {
	cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v ports="$ports" '
		function number(digits,   i, n) {
			for (i = 1; i <= length(digits); i++) n = n * 16 + index("0123456789ABCDEF", substr(digits, i, 1)) - 1
			return n
		}
		BEGIN { n = split(ports, wanted, " ") }
		$4 == "0A" { inode[number(substr($2, length($2) - 3))] = $10 }
		END { for (i = 1; i <= n; i++) print wanted[i], (wanted[i] in inode) ? inode[wanted[i]] : "free" }'
}
listeners() {
	sockets=$(listening)
	files='' all=''
	case $sockets in *[0-9]' '[0-9]*) files=$(open_sockets "$(k3s_processes)") ;; esac
	while read -r number inode; do
		if [ "$inode" = free ]; then
			echo "port=$number free"
			continue
		fi
		case $files in
		*" socket:[$inode]"*) ;;
		*) if [ -z "$all" ]; then all=yes files=$(open_sockets '/proc/[0-9]*/fd'); fi ;;
		esac
		held
	done <<-END
		$sockets
	END
}

k3s_processes() {
	cat /sys/fs/cgroup/system.slice/k3s.service/cgroup.procs /sys/fs/cgroup/system.slice/k3s-agent.service/cgroup.procs 2>/dev/null |
		while read -r pid; do echo "/proc/$pid/fd"; done
}

# Prints the sockets among the open files of folders (a list or a pattern), as "/proc/PID/fd/N socket:[INODE]".
open_sockets() {
	# shellcheck disable=SC2086
	if [ -n "$1" ]; then find $1 -lname 'socket:*' -printf '%p %l\n' 2>/dev/null; fi
}

# Prints the holder of port $number, whose socket has $inode, from the first entry of $files.
held() {
	pid=0 unit=- command=''
	case $files in
	*" socket:[$inode]"*)
		pid=${files%%" socket:[$inode]"*}
		pid=${pid##*/proc/}
		pid=${pid%%/*}
		;;
	esac
	if [ -r "/proc/$pid/comm" ]; then read -r command <"/proc/$pid/comm"; fi
	if [ -r "/proc/$pid/cgroup" ]; then
		while read -r group; do
			case $group in
			*/*.service*)
				group=${group%.service*}
				unit=${group##*/}.service
				break
				;;
			esac
		done <"/proc/$pid/cgroup"
	fi
	echo "port=$number held $unit $command"
}
