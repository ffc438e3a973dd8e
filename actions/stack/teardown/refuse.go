package teardown

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Discard lists the losses that a user consents to.
type Discard struct {
	// Namespaces may be deleted with everything in them.
	Namespaces []string `json:"namespaces,omitempty"`
	// Objects may be deleted although others use them. They are written as Kind/name or
	// Kind/namespace/name.
	Objects []string `json:"objects,omitempty"`
}

// Losses returns an error if leaving objects hold others' objects without consent. open connects to
// the cluster; it is called only if an object leaves. previous are the objects of the previous run.
func (g Guard) Losses(ctx context.Context, open func() (Cluster, error), previous Objects) error {
	left := previous.left(g.Objects)
	if !slices.ContainsFunc(slices.Collect(keys(left)), canHold) {
		return nil
	}
	ours := Objects{}
	for _, objects := range []Objects{previous, g.Objects} {
		for kind, names := range objects {
			ours[kind] = append(ours[kind], names...)
		}
	}
	held, err := openHeld(ctx, open, left, ours)
	if err != nil {
		return fmt.Errorf("refused, nothing was deleted: %s leave, and what others keep in them "+
			"cannot be read: %w", left.holders(), err)
	}
	return g.refuse(held, "then run pulumi up again")
}

// refuse returns the error for losses without consent. With protection, no consent counts.
func (g Guard) refuse(held []Held, next string) error {
	if len(g.Protected) == 0 {
		held = slices.DeleteFunc(held, g.Discard.has)
	}
	if len(held) == 0 {
		return nil
	}
	var consent Discard
	text := "refused, nothing was deleted: with it goes what others keep:"
	for _, one := range held {
		text += fmt.Sprintf("\n- %s: %s", one.title(), cut(one.Kept))
		if one.Kind == kindNamespace {
			consent.Namespaces = append(consent.Namespaces, one.Name)
		} else {
			consent.Objects = append(consent.Objects, one.word())
		}
	}
	var ways []string
	if len(g.Protected) > 0 {
		ways = append(ways, "set "+strings.Join(g.Protected, " and ")+" to false")
	}
	for key, names := range map[string][]string{"namespaces": consent.Namespaces, "objects": consent.Objects} {
		if len(names) > 0 {
			ways = append(ways, fmt.Sprintf("set strata:discard.%s to [%s]", key,
				strings.Join(names, ", ")))
		}
	}
	slices.Sort(ways)
	return fmt.Errorf("%s\nKeep what holds it in the configuration, or move it elsewhere. To "+
		"lose it: %s; %s", text, strings.Join(ways, ", "), next)
}

// has reports whether a user consents to a loss.
func (d Discard) has(one Held) bool {
	if one.Kind == kindNamespace {
		return slices.Contains(d.Namespaces, one.Name)
	}
	return slices.Contains(d.Objects, one.word())
}

// word returns the entry of Discard that consents to lose an object.
func (h Held) word() string {
	kind, _, _ := strings.Cut(h.Kind, ".")
	return kind + "/" + h.Name
}

func (h Held) title() string {
	kind, _, _ := strings.Cut(h.Kind, ".")
	if h.Kind == kindNamespace {
		kind = "namespace"
	}
	return kind + " " + h.Name
}

// holders names the objects that can hold others' objects.
func (o Objects) holders() string {
	var names []string
	for kind := range keys(o) {
		for _, name := range o[kind] {
			if canHold(kind) {
				names = append(names, Held{Kind: kind, Name: name}.title())
			}
		}
	}
	return cut(names)
}

// Holders names the objects of a previous run that leave and can hold others' objects. It returns
// an empty text if there are none.
func (o Objects) Holders(wanted Objects) string { return o.left(wanted).holders() }

// cut joins names. If there are many, it joins only the first.
func cut(names []string) string {
	if len(names) <= listed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(names[:listed], ", "), len(names)-listed)
}

// keys returns the kinds in order.
func keys(o Objects) iter.Seq[string] { return slices.Values(slices.Sorted(maps.Keys(o))) }
