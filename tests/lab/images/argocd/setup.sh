#!/bin/sh
# Adds the files that Argo CD needs in its image besides programs: its home, the folders where its
# chart mounts configuration, and the bundle of CA certificates. The package's own script would
# create the bundle, but packages are not configured.
set -eu
cd "$1"

mkdir -p app/config/ssh app/config/tls app/config/gpg/source app/config/gpg/keys home/argocd etc/ssh etc/ssl/certs
: >app/config/ssh/ssh_known_hosts
ln -sf /app/config/ssh/ssh_known_hosts etc/ssh/ssh_known_hosts
chown 999:0 home/argocd
chmod 0770 home/argocd
chown 999:999 app/config/gpg/keys
chmod 0700 app/config/gpg/keys
find usr/share/ca-certificates -name '*.crt' | LC_ALL=C sort | xargs cat >etc/ssl/certs/ca-certificates.crt

# Git reads the user's name, and ssh does not run for a user without an entry.
cat >etc/passwd <<'PASSWD'
root:x:0:0:root:/root:/bin/sh
argocd:x:999:999::/home/argocd:/bin/sh
PASSWD
cat >etc/group <<'GROUP'
root:x:0:
argocd:x:999:
GROUP

# Without this file, the C library, and so Git, looks up names in DNS that are in /etc/hosts.
echo 'hosts: files dns' >etc/nsswitch.conf

# Argo CD runs gpg under this name. It recognizes a bad signature by the output and not by the exit
# code, so exit code 1 must not be passed on.
mkdir -p usr/local/bin
cat >usr/local/bin/gpg-wrapper.sh <<'WRAPPER'
#!/bin/sh
output=$(gpg "$@" 2>&1)
code=$?
if [ "$code" -gt 1 ]; then
	printf '%s\n' "$output" >&2
	exit "$code"
fi
printf '%s\n' "$output"
WRAPPER
chmod 0755 usr/local/bin/gpg-wrapper.sh

# The chart's init container copyutil runs `cp --update=none`. coreutils has this option since 9.3,
# but Debian's version is older. --no-clobber means the same.
mv bin/cp bin/cp.coreutils
cat >bin/cp <<'CP'
#!/bin/sh
for argument; do
	shift
	[ "$argument" = --update=none ] && argument=--no-clobber
	set -- "$@" "$argument"
done
exec cp.coreutils "$@"
CP
chmod 0755 bin/cp
