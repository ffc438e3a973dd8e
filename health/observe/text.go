package observe

func OrNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
