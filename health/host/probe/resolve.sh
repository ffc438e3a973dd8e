# Sends a query to a DNS server by UDP, as Pods do, again and again. Prints reply=HEX; empty without a reply in two seconds.
# Variables: server (its IP address), port, query (as printf takes it).
: "${server:?}" "${port:?}" "${query:?}"
# bash's printf writes line by line, and a query may contain a newline. dd makes one datagram.
# shellcheck disable=SC2016
ask() {
	timeout 2 bash -c '
		exec 3<>"/dev/udp/$1/$2" || exit
		printf "$3" | dd bs=512 iflag=fullblock >&3
		dd bs=4096 count=1 <&3 | od -An -v -tx1 | tr -d " \n"
	' bash "$server" "$port" "$query" 2>/dev/null
}
while :; do
	reply=$(ask)
	printf 'reply=%s\nend\n' "$reply" || exit
	if [ -n "$reply" ]; then sleep 5; else sleep 1; fi
done
