# Takes the API's own address off this host; safe to run again, and leaves alone what is not Strata's, and a host that has become
# somebody else's: it may hold the address of a cluster of theirs.
#
# Variables: MARK (the first line of a configuration that is Strata's), and those of internal/k3shost's owner.sh, which has the functions.
found=$(whose)
case $found in
ours | free) ;;
*)
	not_ours "$found"
	exit
	;;
esac
conf=/etc/keepalived/keepalived.conf
if [ "$(head -n 1 "$conf" 2> /dev/null)" = "$MARK" ]; then
	# Its package may be gone, and then nothing runs; its configuration stays behind.
	if systemctl cat keepalived > /dev/null 2>&1; then systemctl disable --now keepalived; fi
	rm -f "$conf"
fi
rm -f /etc/keepalived/strata-api-ready.sh /etc/keepalived/strata-restart "$conf.new" /var/lib/strata/keepalived.files*
