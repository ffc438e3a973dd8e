# Prints a line undone=KEY for each sysctl that K3s sets to 1 at its start (pkg/agent/syssetup/setup.go) and that is 0.
undone() {
	for key in net/ipv4/ip_forward net/ipv4/conf/all/forwarding net/bridge/bridge-nf-call-iptables; do
		value=''
		# A shell that reads byte by byte takes the end of the line for the end of the file, and fails.
		if [ -r "/proc/sys/$key" ] && read -r value <"/proc/sys/$key"; then :; fi
		if [ "$value" = 0 ]; then echo "undone=$key"; fi
	done
}
