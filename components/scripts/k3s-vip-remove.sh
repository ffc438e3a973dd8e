# Takes the API's own address off this host; safe to run again, and leaves alone what is not Strata's.
conf=/etc/keepalived/keepalived.conf
if [ "$(head -n 1 "$conf" 2> /dev/null)" = '# Written by Strata; k3s.vip in its configuration decides.' ]; then
	systemctl disable --now keepalived
	rm -f "$conf"
fi
rm -f /etc/keepalived/strata-api-ready.sh "$conf.new"
