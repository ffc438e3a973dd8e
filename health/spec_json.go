package health

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// common has the fields of a Spec except its body.
type common Spec

// MarshalJSON writes the kind first, and the body last, under the kind's name.
func (s Spec) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(struct {
		Kind Kind `json:"kind"`
		common
	}{s.Kind(), common(s)})
	if err != nil || s.Body == nil {
		return text, err
	}
	body, err := json.Marshal(s.Body)
	if err != nil || s.Body.Traits().Optional && string(body) == "{}" {
		return text, err
	}
	return fmt.Appendf(text[:len(text)-1], ",%q:%s}", s.Kind(), body), nil
}

// BodyReader decodes the body of one kind from JSON. The text is empty if the JSON has no body.
type BodyReader func(text json.RawMessage) (Body, error)

// ReadBody decodes a body of type B. If it is missing and not optional, the returned body makes the
// Spec invalid.
func ReadBody[B Body](text json.RawMessage) (Body, error) {
	var body B
	if len(text) > 0 && string(text) != "null" {
		return body, readStrictly(text, &body)
	}
	if traits := body.Traits(); !traits.Optional {
		return unusable{traits, fmt.Sprintf("%s: missing", traits.Kind)}, nil
	}
	return body, nil
}

// ParseSpec reads a Spec from JSON, and its body with the reader of its kind (package health/kinds
// has the readers). An unknown field is an error, because a gate that silently omits a check opens
// too early. A Spec of an unknown kind is returned without an error, but its Validate fails.
func ParseSpec(text []byte, readers map[Kind]BodyReader) (Spec, error) {
	spec, err := parseSpec(text, readers)
	if err != nil {
		return Spec{}, fmt.Errorf("%w: spec: %w", ErrSpec, err)
	}
	return spec, nil
}

func parseSpec(text []byte, readers map[Kind]BodyReader) (Spec, error) {
	var head struct {
		Kind Kind `json:"kind"`
	}
	var fields map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(text, &head), json.Unmarshal(text, &fields)); err != nil {
		return Spec{}, err
	}
	kind := head.Kind
	body := fields[string(kind)]
	delete(fields, "kind")
	delete(fields, string(kind))
	rest, err := json.Marshal(fields)
	if err != nil {
		return Spec{}, err
	}
	var spec Spec
	if err := readStrictly(rest, (*common)(&spec)); err != nil {
		return Spec{}, err
	}
	read, known := readers[kind]
	if !known {
		names := make([]string, 0, len(readers))
		for _, name := range slices.Sorted(maps.Keys(readers)) {
			names = append(names, string(name))
		}
		problem := fmt.Sprintf("kind: expected one of %s, found %q",
			strings.Join(names, ", "), kind)
		spec.Body = unusable{Traits{Kind: kind, NoServers: true}, problem}
		return spec, nil
	}
	spec.Body, err = read(body)
	return spec, err
}

// readStrictly decodes JSON into a value. A field that the value does not have is an error.
func readStrictly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}
