package stackstate

// Graph returns the dependencies of each resource, by URN.
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
