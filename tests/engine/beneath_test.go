package engine_test

import (
	"maps"
	"slices"
)

// lostNode is the node whose host is lost.
const lostNode = "agent-1"

// away reports whether a host is lost that the configuration asks for.
func (h *history) away() bool { return h.lost%2 == 1 && !h.reality.at(lostNode).there }

// loseOrRepair loses a host, or does what is done about it: consent to another machine, or another
// host's address. Its Node stays.
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
	h.node(lostNode)["address"] = address[:len(address)-1] + map[bool]string{true: "9", false: "1"}[h.lost%4 == 2]
	*h.reality.at(lostNode) = host{there: true}
}

// deleteBeneath is `kubectl delete` of one object that the stack has made.
func (h *history) deleteBeneath(at int) {
	objects := slices.Sorted(maps.Keys(h.objects))
	if len(objects) == 0 || !h.reality.serves() {
		return
	}
	h.gone(objects[at%len(objects)])
	h.adrift = true
}

// restore is `strata restore` of the last snapshot: the cluster's content is that of then, and the
// nodes that are of it come back by themselves. What was taken out of the stack since comes back,
// too, and is removed by hand (docs/operations.md).
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
