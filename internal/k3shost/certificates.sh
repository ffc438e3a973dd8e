# A line for each certificate of K3s's own, without the authorities: certificate=FILE DER, in base64. The first of a file is its own.
certificates() {
	for folder in /var/lib/rancher/k3s/server/tls /var/lib/rancher/k3s/server/tls/etcd /var/lib/rancher/k3s/agent; do
		if [ -d "$folder" ]; then
			find "$folder" -maxdepth 1 -name '*.crt' ! -name '*-ca.crt' -exec awk '
				FNR == 1 { text = ""; first = 1 }
				/-----BEGIN/ { next }
				/-----END/ { if (first) print "certificate=" FILENAME " " text; first = 0; next }
				first { text = text $0 }' {} +
		fi
	done
}
