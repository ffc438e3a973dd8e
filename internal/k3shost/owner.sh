# Whose host this is. Set before: CLUSTER, the cluster's identity, TOKEN_SHA256, the sums of its tokens, PROJECT, STACK and NODE.
: "${CLUSTER?}" "${TOKEN_SHA256?}" "${PROJECT?}" "${STACK?}" "${NODE?}"
owner=/var/lib/strata/owner

marked() { sed -n "s/^$1=//p" "$owner"; }

# A key of K3s's configuration as Strata writes it: one line, maybe quoted.
k3s_key() { if [ -e /etc/rancher/k3s/config.yaml ]; then sed -n "s/^$1: *//p" /etc/rancher/k3s/config.yaml | tr -d "\"'"; fi; }

# The password of a token, which comes on stdin as PASSWORD, K10HASH::USER:PASSWORD or K10HASH::PASSWORD.
password() { sed 's/^K10[0-9a-f]*::\([^:]*:\)\{0,1\}//' | tr -d '\n'; }

has_k3s() {
	[ -e /etc/rancher/k3s/config.yaml ] || [ -e /etc/systemd/system/k3s.service ] || [ -e /etc/systemd/system/k3s-agent.service ] ||
		[ -e /var/lib/rancher/k3s/server/db ]
}

# Prints one of: ours; free; "node NAME", another node of this cluster; "other PROJECT STACK NODE CLUSTER"; unmarked, a K3s without a mark
# whose token is not this cluster's. Without a mark a K3s is ours by its token: it may be older than the marks.
whose() {
	if [ -e "$owner" ]; then
		if [ "$(marked cluster)" != "$CLUSTER" ]; then
			echo "other $(marked project) $(marked stack) $(marked node) $(marked cluster)"
			return
		fi
		is=$(marked node)
	elif has_k3s; then
		sum=$(k3s_key token | password | sha256sum)
		case " $TOKEN_SHA256 " in *" ${sum%% *} "*) ;; *)
			echo unmarked
			return
			;;
		esac
		is=$(k3s_key node-name)
	else
		echo free
		return
	fi
	if [ "$is" = "$NODE" ]; then echo ours; else echo "node $is"; fi
}

# Says why a host that is $1 is left alone.
not_ours() {
	case $1 in
	node\ *)
		echo "k3s: expected the host of node $NODE, found that of node ${1#node }: nothing was changed. A node is renamed or moved in two steps:" \
			"take ${1#node } out of strata:hosts.nodes and run pulumi up, then add $NODE" >&2
		;;
	other\ *)
		echo "k3s: this host belongs to somebody else (project, stack, node, cluster: ${1#other }), and to stack $STACK it would be $NODE:" \
			"it is left alone. If nobody needs it any more: strata owner -s $STACK $NODE --clear (docs/host-ownership.md)" >&2
		;;
	*)
		echo "k3s: this host has a K3s that stack $STACK did not install (its token is another): it is left alone. If nobody needs it any more," \
			"run k3s-uninstall.sh or k3s-agent-uninstall.sh on it; see docs/host-ownership.md" >&2
		;;
	esac
}

# Ends the script on a host that is somebody else's.
must_be_ours() {
	found=$(whose)
	case $found in ours | free) return ;; esac
	not_ours "$found"
	exit 1
}

# Writes this host's mark to the new file $mark.
draft_mark() {
	mark=$(mktemp "$owner.XXXXXX")
	printf 'cluster=%s\nproject=%s\nstack=%s\nnode=%s\n' "$CLUSTER" "$PROJECT" "$STACK" "$NODE" > "$mark"
	chmod 0644 "$mark"
	sync "$mark"
}

# Marks this host as ours, or ends the script. A link does not replace what is there: of two stacks that claim a host at once, one is
# told that it is the other's.
claim() {
	must_be_ours
	if [ -e "$owner" ]; then return; fi
	mkdir -p "${owner%/*}"
	draft_mark
	ln "$mark" "$owner" 2> /dev/null || [ -e "$owner" ]
	rm -f "$mark"
	must_be_ours
}
