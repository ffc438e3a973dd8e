#!/bin/sh
# Installs the lab's K3s as a systemd service. It accepts the variables of K3s's own installer
# (k3s-io/k3s install.sh) and writes the same files. It cannot download K3s.
#
#   INSTALL_K3S_SKIP_DOWNLOAD  must be "true" or "binary": the binary exists already
#   INSTALL_K3S_SKIP_START     "true": enable the service, but do not start it
#   INSTALL_K3S_SKIP_ENABLE    "true": neither enable nor start the service
#   INSTALL_K3S_FORCE_RESTART  "true": restart even if nothing has changed
#   INSTALL_K3S_EXEC           command and flags of the service, such as "server" or
#                              "--disable=traefik"
#   INSTALL_K3S_NAME           the service's name is k3s-NAME (default: k3s or k3s-agent)
#   INSTALL_K3S_TYPE           type of the systemd service (default: notify)
#   INSTALL_K3S_SYMLINK        "skip" or "force" for the links kubectl, crictl and ctr
#   INSTALL_K3S_BIN_DIR        folder of the binary (default: /usr/local/bin)
#   INSTALL_K3S_BIN_DIR_READ_ONLY  "true": write nothing into that folder
#   INSTALL_K3S_SYSTEMD_DIR    folder of units (default: /etc/systemd/system)
#   K3S_*, CONTAINERD_*, *_PROXY   written to SERVICE.env (mode 0600) for the service
set -e
set -o noglob

info() { echo '[INFO] ' "$@"; }
warn() { echo '[WARN] ' "$@" >&2; }
fatal() {
	echo '[ERROR] ' "$@" >&2
	exit 1
}

# single_quoted prints each argument in single quotes, so that systemd and sh read it unchanged.
single_quoted() {
	for word in "$@"; do
		printf "%s\n" "$word" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/"
	done
}

# continued prints the arguments as continuation lines of ExecStart, one per line.
continued() {
	printf ' \\\n'
	for word in "$@"; do
		printf '\t%s \\\n' "$(single_quoted "$word")"
	done
}

verify_system() {
	command -v systemctl >/dev/null 2>&1 ||
		fatal 'Can not find systemd to use as a process supervisor for k3s'
}

choose_command() {
	case "$1" in
	-* | '')
		if [ -z "$K3S_URL" ]; then
			command_name=server
		elif [ -z "$K3S_TOKEN" ] && [ -z "$K3S_TOKEN_FILE" ]; then
			fatal "Defaulted k3s exec command to 'agent' because K3S_URL is defined, but K3S_TOKEN or K3S_TOKEN_FILE is not defined."
		else
			command_name=agent
		fi
		;;
	*)
		command_name=$1
		shift
		;;
	esac
	case "$K3S_URL" in
	'' | https://*) ;;
	*) fatal "Only https:// URLs are supported for K3S_URL (have $K3S_URL)" ;;
	esac
	command_line="$command_name$(continued "$@")"
}

choose_names() {
	if [ -n "$INSTALL_K3S_NAME" ]; then
		system_name=k3s-$INSTALL_K3S_NAME
	elif [ "$command_name" = server ]; then
		system_name=k3s
	else
		system_name=k3s-$command_name
	fi
	case "$system_name" in
	*[!A-Za-z0-9.@:,+~-]*) fatal "Invalid characters for system name: $system_name" ;;
	esac
	service_type=${INSTALL_K3S_TYPE:-notify}
	bin_dir=${INSTALL_K3S_BIN_DIR:-/usr/local/bin}
	systemd_dir=${INSTALL_K3S_SYSTEMD_DIR:-/etc/systemd/system}
	service_file=$systemd_dir/$system_name.service
	env_file=$service_file.env
	uninstall_file=$bin_dir/$system_name-uninstall.sh
	killall_file=$bin_dir/k3s-killall.sh
}

verify_binary() {
	case "$INSTALL_K3S_SKIP_DOWNLOAD" in
	true | binary) ;;
	*)
		[ "$INSTALL_K3S_BIN_DIR_READ_ONLY" = true ] ||
			fatal 'The lab installer cannot download; put the binary in place and set INSTALL_K3S_SKIP_DOWNLOAD=true'
		;;
	esac
	info 'Skipping k3s download and verify'
	[ -x "$bin_dir/k3s" ] || fatal "Executable k3s binary not found at $bin_dir/k3s"
}

bin_dir_is_ours() { [ "$INSTALL_K3S_BIN_DIR_READ_ONLY" != true ]; }

create_symlinks() {
	bin_dir_is_ours || return 0
	[ "$INSTALL_K3S_SYMLINK" != skip ] || return 0
	for tool in kubectl crictl ctr; do
		if [ -e "$bin_dir/$tool" ] && [ "$INSTALL_K3S_SYMLINK" != force ]; then
			info "Skipping $bin_dir/$tool symlink to k3s, already exists"
			continue
		fi
		found=
		if command -v "$tool" >/dev/null 2>&1; then
			found=$(command -v "$tool")
		fi
		if [ -n "$found" ] && [ "$INSTALL_K3S_SYMLINK" != force ]; then
			info "Skipping $bin_dir/$tool symlink to k3s, command exists in PATH at $found"
		else
			info "Creating $bin_dir/$tool symlink to k3s"
			ln -sf k3s "$bin_dir/$tool"
		fi
	done
}

create_killall() {
	bin_dir_is_ours || return 0
	info "Creating killall script $killall_file"
	cat >"$killall_file" <<'KILLALL'
#!/bin/sh
# Stops every K3s service, and removes what it created on this host: containers, mounts, interfaces
# and iptables rules.
[ "$(id -u)" -eq 0 ] || exec sudo --preserve-env=K3S_DATA_DIR "$0" "$@"

data_dir=${K3S_DATA_DIR:-/var/lib/rancher/k3s}

for service in /etc/systemd/system/k3s*.service; do
	if [ -s "$service" ]; then
		systemctl stop "$(basename "$service")"
	fi
done

# family prints a process id and the ids of all its descendants.
family() {
	for pid in "$@"; do
		echo "$pid"
		# shellcheck disable=SC2046
		family $(ps -o pid= --ppid "$pid")
	done
}

# shims prints the ids of K3s's containerd shims, whose program is below the data folder.
shims() {
	ps -e -o pid= -o args= | while read -r pid args; do
		case "$args" in
		"$data_dir"/data/*/bin/containerd-shim*) echo "$pid" ;;
		esac
	done
}

# shellcheck disable=SC2046
pids=$(family $(shims))
if [ -n "$pids" ]; then
	# shellcheck disable=SC2086
	kill -9 $pids 2>/dev/null
	# Wait for each killed process, because it keeps its mounts until it has ended.
	for pid in $pids; do
		tail --pid="$pid" -f /dev/null 2>/dev/null
	done
fi

# unmount_below unmounts every mount whose path begins with $1, the deepest first.
unmount_below() {
	while read -r _ path _; do
		case "$path" in "$1"*) echo "$path" ;; esac
	done </proc/self/mounts | sort -r | while read -r path; do
		umount -f "$path" && rm -rf "$path"
	done
}

unmount_below /run/k3s
unmount_below /var/lib/kubelet/pods
unmount_below /var/lib/kubelet/plugins
unmount_below /run/netns/cni-

for namespace in $(ip netns list 2>/dev/null | grep -o '^cni-[^ ]*'); do
	ip netns delete "$namespace"
done

for interface in $(ip -o link show master cni0 2>/dev/null | sed -e 's/^[0-9]*: //' -e 's/[@:].*//'); do
	ip link delete "$interface"
done
for interface in cni0 flannel.1 flannel-v6.1 kube-ipvs0 flannel-wg flannel-wg-v6; do
	if ip link show "$interface" >/dev/null 2>&1; then
		ip link delete "$interface"
	fi
done

rm -rf /var/lib/cni/

# Remove the chains and rules of kube-proxy, the CNI plugins and flannel. Others are restored.
for tables in iptables ip6tables; do
	if command -v "$tables-save" >/dev/null 2>&1; then
		"$tables-save" | grep -v KUBE- | grep -v CNI- | grep -iv flannel | "$tables-restore"
	fi
done
KILLALL
	chmod 755 "$killall_file"
}

create_uninstall() {
	bin_dir_is_ours || return 0
	info "Creating uninstall script $uninstall_file"
	cat >"$uninstall_file" <<UNINSTALL
#!/bin/sh
# Removes $system_name from this host. As with K3s, /etc/rancher/node (the node password) remains.
[ "\$(id -u)" -eq 0 ] || exec sudo --preserve-env=K3S_DATA_DIR "\$0" "\$@"

data_dir=\${K3S_DATA_DIR:-/var/lib/rancher/k3s}

$killall_file

systemctl disable $system_name
systemctl reset-failed $system_name
rm -f $service_file $env_file
systemctl daemon-reload

trap 'rm -f $uninstall_file' EXIT

for other in $systemd_dir/k3s*.service; do
	if [ -e "\$other" ]; then
		echo 'Additional k3s services installed, skipping uninstall of k3s'
		exit
	fi
done

for tool in kubectl crictl ctr; do
	if [ -L $bin_dir/\$tool ]; then
		rm -f $bin_dir/\$tool
	fi
done

# remove_tree removes a tree, except for mount points in it.
remove_tree() {
	if ! grep -q " \$1" /proc/mounts; then
		rm -rf "\$1"
		return
	fi
	for path in "\$1"/*; do
		if [ -d "\$path" ] && ! [ -L "\$path" ]; then
			remove_tree "\$path"
		else
			rm -f "\$path"
		fi
	done
}

rm -rf /etc/rancher/k3s /run/k3s /run/flannel
remove_tree "\$data_dir"
rm -rf /var/lib/kubelet
rm -f $bin_dir/k3s $killall_file
UNINSTALL
	chmod 755 "$uninstall_file"
}

create_env_file() {
	info "env: Creating environment file $env_file"
	(umask 077 && : >"$env_file")
	chmod 0600 "$env_file"
	# `export` prints "export NAME='value'". systemd accepts the quotes.
	sh -c export | sed -n -E 's/^export ((K3S|CONTAINERD)_[A-Z0-9_]*=)/\1/p' >>"$env_file"
	sh -c export | sed -n -E 's/^export ((NO|HTTP|HTTPS)_PROXY=)/\1/Ip' >>"$env_file"
}

create_service_file() {
	info "systemd: Creating service file $service_file"
	cat >"$service_file" <<SERVICE
[Unit]
Description=Lightweight Kubernetes
Documentation=https://k3s.io
Wants=network-online.target
After=network-online.target

[Install]
WantedBy=multi-user.target

[Service]
Type=$service_type
EnvironmentFile=-/etc/default/%N
EnvironmentFile=-/etc/sysconfig/%N
EnvironmentFile=-$env_file
KillMode=process
Delegate=yes
User=root
LimitNOFILE=1048576
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
TimeoutStartSec=0
Restart=always
RestartSec=5s
ExecStartPre=-/sbin/modprobe br_netfilter
ExecStartPre=-/sbin/modprobe overlay
ExecStart=$bin_dir/k3s \\
    $command_line

SERVICE
}

installed_hashes() {
	for file in "$bin_dir/k3s" "$service_file" "$env_file"; do
		if [ -e "$file" ]; then
			sha256sum "$file"
		fi
	done
}

# disable_old disables and removes an existing unit, so that after a change of name or target no old
# unit remains enabled. Like K3s, it does not check first whether the unit exists.
disable_old() {
	systemctl disable "$system_name" >/dev/null 2>&1 || info "$system_name was not enabled"
	rm -f "$service_file" "$env_file"
}

enable_and_start() {
	[ "$INSTALL_K3S_SKIP_ENABLE" != true ] || return 0
	info "systemd: Enabling $system_name unit"
	systemctl enable "$service_file" >/dev/null
	systemctl daemon-reload >/dev/null
	[ "$INSTALL_K3S_SKIP_START" != true ] || return 0
	if [ "$hashes_before" = "$(installed_hashes)" ] && [ "$INSTALL_K3S_FORCE_RESTART" != true ]; then
		info 'No change detected so skipping service start'
		return 0
	fi
	info "systemd: Starting $system_name"
	systemctl restart "$system_name"
}

install() {
	verify_system
	choose_command "$@"
	choose_names
	hashes_before=$(installed_hashes)
	verify_binary
	create_symlinks
	create_killall
	create_uninstall
	disable_old
	create_env_file
	create_service_file
	enable_and_start
}

# INSTALL_K3S_EXEC is split at spaces, and quotes group words, as in K3s's installer.
protected=$(printf '%s' "$INSTALL_K3S_EXEC" | sed -e 's/\([][!#$%&()*;<=>?\_`{|}]\)/\\\1/g')
eval "set -- $protected $(single_quoted "$@" | tr '\n' ' ')"
install "$@"
