package config

import "fmt"

// Switch is written `on` or `off`, or true or false. YAML 1.1 reads the first two as booleans, as
// sigs.k8s.io/yaml does; Pulumi's reader, gopkg.in/yaml.v3, hands them over as texts.
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
