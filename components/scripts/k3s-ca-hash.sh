# Prints the hash of the cluster's CA as K3s writes it into the cluster's tokens (pkg/clientaccess/token.go, hashCA). The token stays here.
#
# Variables: those of internal/k3shost's owner.sh.
must_be_ours
token=/var/lib/rancher/k3s/server/token
hash=$(sed -n 's/^K10\([0-9a-f]\{64\}\)::.*/\1/p' "$token")
if [ -z "$hash" ]; then
	echo "k3s: expected K10, 64 hexadecimal digits and :: at the beginning of $token, found something else" >&2
	exit 1
fi
echo "k3s: the cluster's CA has the hash $hash"
