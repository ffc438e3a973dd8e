#!/bin/sh
# Adds the files that Vault's official chart needs in the image besides Vault: a shell, the programs
# that its commands run, and the entrypoint.
set -eu
cd "$1"

for name in sh cp sed grep pidof sleep; do
	ln -s busybox "bin/$name"
done

# The official entrypoint, if it runs as root, first changes file owners and capabilities.
# This image does not run as root.
mkdir -p usr/local/bin
cat >usr/local/bin/docker-entrypoint.sh <<'ENTRYPOINT'
#!/bin/sh
exec "$@"
ENTRYPOINT
chmod 0755 usr/local/bin/docker-entrypoint.sh
