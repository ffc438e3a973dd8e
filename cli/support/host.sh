# Print a host's units and journals. Each command has a time limit. If it fails, for example because
# a unit does not exist, print its exit code.
section() {
	printf '\n=== %s\n' "$*"
	timeout -k 5 20 "$@" 2>&1
	code=$?
	[ "$code" = 0 ] || printf '(exit code %s)\n' "$code"
}
section date -u
section uname -a
section cat /etc/os-release
section uptime
section free -m
section df -h -x overlay -x tmpfs
section ip -brief address
section ip route
section systemctl list-units --failed --no-pager --full
section systemctl status --no-pager --full --lines=0 k3s k3s-agent keepalived
section systemctl cat --no-pager k3s k3s-agent
section k3s --version
section k3s crictl ps --all
section journalctl --no-pager --output=short-iso --lines=4000 --unit=k3s --unit=k3s-agent --unit=keepalived
section journalctl --no-pager --output=short-iso --lines=1000 --priority=warning
