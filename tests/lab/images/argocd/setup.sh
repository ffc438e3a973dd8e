#!/bin/sh
# What Argo CD expects of its image besides programs: its home, the places where its chart mounts configuration, and the
# certificates' bundle that the package's own script would have made.
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

# Git asks for the user's name, and ssh refuses to run for a user without one.
cat >etc/passwd <<'PASSWD'
root:x:0:0:root:/root:/bin/sh
argocd:x:999:999::/home/argocd:/bin/sh
PASSWD
cat >etc/group <<'GROUP'
root:x:0:
argocd:x:999:
GROUP

# Without it the C library, so Git, would ask DNS for names that are in /etc/hosts.
echo 'hosts: files dns' >etc/nsswitch.conf

# Argo CD calls gpg by this name and takes a bad signature from the output, not from the exit code.
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

# The chart's init container copyutil calls cp --update=none, which Debian's coreutils does not know yet: it came with 9.3. It means
# the same as --no-clobber.
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
