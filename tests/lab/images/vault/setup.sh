#!/bin/sh
# What Vault's official chart expects of its image besides Vault: a shell, the programs that its commands call, and the entrypoint.
set -eu
cd "$1"

for name in sh cp sed grep pidof sleep; do
	ln -s busybox "bin/$name"
done

# The official one changes owners and takes capabilities first, where it runs as root.
mkdir -p usr/local/bin
cat >usr/local/bin/docker-entrypoint.sh <<'ENTRYPOINT'
#!/bin/sh
exec "$@"
ENTRYPOINT
chmod 0755 usr/local/bin/docker-entrypoint.sh
