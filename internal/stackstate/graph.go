package stackstate

// Graph is what each resource depends on, by URN.
func (s *State) Graph() map[string][]string {
	graph := map[string][]string{}
	for _, resource := range s.Resources {
		var needed []string
		for _, one := range resource.Dependencies {
			needed = append(needed, string(one))
		}
		graph[string(resource.URN)] = needed
	}
	return graph
}
