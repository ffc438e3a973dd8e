package observe

// OrNone returns a text, or "none" if it is empty.
func OrNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
