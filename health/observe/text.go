package observe

// OrNone is a text, or "none" where it is empty.
func OrNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
