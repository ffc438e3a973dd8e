package health

// conditionOf is the condition of a type; without a status where nobody has written one.
func conditionOf(conditions []condition, kind string) condition {
	for _, c := range conditions {
		if c.Type == kind {
			c.Message = stable(c.Message)
			return c
		}
	}
	return condition{Type: kind}
}
