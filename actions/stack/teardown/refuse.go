package teardown

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Discard lists the objects that the user agrees to lose.
type Discard struct {
	// Namespaces lists namespaces that may be deleted with everything in them.
	Namespaces []string `json:"namespaces,omitempty"`
	// Objects lists objects that may be deleted although other owners' objects use them, as
	// Kind/name or Kind/namespace/name.
	Objects []string `json:"objects,omitempty"`
}

// Losses returns an error if the update would delete objects of the last run (previous) that
// contain other owners' objects, or to which such objects refer, unless Discard lists them. open
// connects to the cluster; Losses calls it only if such a loss is possible.
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

// refuse returns an error for each object in held that Discard does not list. While the cluster is
// protected, Discard is ignored. next is the last step of the fix in the message.
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

// has reports whether Discard lists an object.
func (d Discard) has(one Held) bool {
	if one.Kind == kindNamespace {
		return slices.Contains(d.Namespaces, one.Name)
	}
	return slices.Contains(d.Objects, one.word())
}

// word returns the entry in Discard.Objects that allows the object's deletion.
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

// holders returns the objects that can contain or serve objects of other owners, as text.
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

// Holders returns, as text, the objects of o that are missing from wanted and can contain or serve
// objects of other owners. It returns "" if there are none.
func (o Objects) Holders(wanted Objects) string { return o.left(wanted).holders() }

// cut joins names for a message: the first 20 names, and the number of the others.
func cut(names []string) string {
	if len(names) <= listed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(names[:listed], ", "), len(names)-listed)
}

// keys returns the kinds, sorted.
func keys(o Objects) iter.Seq[string] { return slices.Values(slices.Sorted(maps.Keys(o))) }
