package config

import "fmt"

// Switch is a boolean that is written `on` or `off`, or true or false. Pulumi passes on and off as
// texts.
type Switch bool

// MarshalText writes on or off.
func (s Switch) MarshalText() ([]byte, error) {
	if s {
		return []byte("on"), nil
	}
	return []byte("off"), nil
}

// UnmarshalJSON reads any of the four words, as a text or a boolean.
func (s *Switch) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `true`, `"true"`, `"on"`:
		*s = true
	case `false`, `"false"`, `"off"`:
		*s = false
	default:
		return fmt.Errorf("%s is neither on nor off", text)
	}
	return nil
}
