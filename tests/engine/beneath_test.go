package engine_test

import (
	"maps"
	"slices"
)

// lostNode is the node whose host a history loses.
const lostNode = "agent-1"

// away reports whether the host of lostNode is lost and not replaced yet.
func (h *history) away() bool { return h.lost%2 == 1 && !h.reality.at(lostNode).there }

// loseOrRepair loses the host of lostNode. The next call configures a replacement: a new machine by
// consent, or an existing host with another address. The Node stays in the cluster.
func (h *history) loseOrRepair() {
	h.lost++
	if h.lost%2 == 1 {
		*h.reality.at(lostNode) = host{}
		return
	}
	if !h.onExistingHosts() {
		h.node(lostNode)["recreate"] = string(rune('a' + h.lost%26))
		return
	}
	address := h.node(lostNode)["address"].(string)
	h.node(lostNode)["address"] = address[:len(address)-1] +
		map[bool]string{true: "9", false: "1"}[h.lost%4 == 2]
	*h.reality.at(lostNode) = host{there: true}
}

// deleteBeneath deletes one object of the stack outside Pulumi, like `kubectl delete`.
func (h *history) deleteBeneath(at int) {
	objects := slices.Sorted(maps.Keys(h.objects))
	if len(objects) == 0 || !h.reality.serves() {
		return
	}
	h.gone(objects[at%len(objects)])
	h.adrift = true
}

// restore restores the last snapshot, like `strata restore`: the cluster's objects get their
// content in the snapshot. Objects that the stack has removed since then stay removed, because
// operators delete such objects by hand (docs/operations.md).
func (h *history) restore() {
	if h.kept == nil || h.kept.clusters != h.reality.clusters || !h.reality.serves() {
		return
	}
	now, then := h.reality.clone(), h.kept.clone()
	for object := range then.objects {
		if !now.objects[object] {
			delete(then.objects, object)
		}
	}
	now.objects, now.content = then.objects, then.content
	h.becomes(now)
	h.adrift = true
}
