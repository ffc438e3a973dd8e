package config

import "k8s.io/apimachinery/pkg/api/resource"

// WorkloadResources are quantities as Kubernetes writes them.
type WorkloadResources struct {
	// CPU is the request of each Pod. Default 50m. There is no limit: a throttled Pod answers late.
	CPU string `json:"cpu,omitempty"`
	// Memory is the request of each Pod. Default 64Mi.
	Memory string `json:"memory,omitempty"`
	// MemoryLimit is the memory beyond which a Pod is killed. Default: none.
	MemoryLimit string `json:"memoryLimit,omitempty"`
}

func (w workloadCheck) resources() {
	quantity := func(key, text string) resource.Quantity {
		parsed, err := resource.ParseQuantity(text)
		w.addIf(text != "" && (err != nil || parsed.Sign() <= 0), w.key("resources.%s", key), text,
			"is not a quantity", "write for example 100m of cpu, or 128Mi of memory")
		return parsed
	}
	quantity("cpu", w.w.Resources.CPU)
	memory, limit := quantity("memory", w.w.Resources.Memory), quantity("memoryLimit", w.w.Resources.MemoryLimit)
	w.addIf(w.w.Resources.MemoryLimit != "" && limit.Cmp(memory) < 0,
		w.key("resources.memoryLimit"), w.w.Resources.MemoryLimit,
		"is less than resources.memory "+w.w.Resources.Memory, "raise it, or leave it out")
}
