# Loads the images of $archive into K3s's containerd, if that runs; if not, K3s does when it starts. A K3s that runs would load
# them by itself, too, but does not report when: a Pod that starts before finds no image, and waits longer after each look.
# Set before: archive, socket; images, the names of the archive's images, each on a line.
set -eu
: "${archive:?}" "${socket:?}" "${images?}"
# Not the unit's state: that is active only when K3s serves, and by then it may have looked before the archive came. Not the
# socket's file: a K3s that was killed leaves it behind.
awk -v path="$socket" '$NF == path { found = 1 } END { exit !found }' /proc/net/unix || exit 0
# Not by ctr itself, which is the default before containerd 2 (K3s 1.32) and reads no zstd: the transfer service does. It sends no event
# there, so that kubelets would not see the image (containerd#13494). The labels below are set by the image service, which sends one.
# containerd 1.6 has no such flag, and its ctr reads zstd.
flag=
if k3s ctr images import --help | grep -q -e --local; then flag=--local=false; fi
k3s ctr --address "$socket" --namespace k8s.io images import ${flag:+"$flag"} "$archive"
# An import takes the pins off that K3s has put on these names, and kubelet's garbage collection would delete what no container uses.
# With K3s's own labels it takes them off itself, once the archive is gone (k3s-io/k3s pkg/agent/containerd/containerd.go, clearLabels).
printf '%s\n' "$images" | while read -r image; do
	[ -n "$image" ] || continue
	k3s ctr --address "$socket" --namespace k8s.io images label "$image" io.cattle.k3s.pinned=pinned io.cri-containerd.pinned=pinned
done
