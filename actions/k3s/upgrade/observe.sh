# What runs on this host, in one word, and then the host's time and K3s's certificates. Set before:
# the variables of internal/k3shost's functions, which precede this, and certificates.
: "${unit:?}" "${program:?}"
if [ ! -e "/etc/systemd/system/$unit.service" ] || [ ! -e "$program" ]; then
	echo without
	exit
fi
one_at_a_time
verify_staged
if is_wanted "$program" && is_applied; then echo current; else echo pending; fi
echo "time=$(date +%s)"
certificates
