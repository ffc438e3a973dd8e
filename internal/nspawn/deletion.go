package nspawn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/nspawn/host"
)

// Deletion is the deletion of all machines of a stack. It is passed as JSON on stdin.
type Deletion struct {
	// Machines are their names.
	Machines []string `json:"machines"`
	// Owner owns the machines; nil from a state without owners.
	Owner *Owner `json:"owner,omitempty"`
	// Timeout bounds the wait for other runs that work on one of them.
	Timeout metav1.Duration `json:"timeout"`
}

// MarkForDeletion marks all machines: their stack is about to delete them. A missing one needs no
// mark.
func MarkForDeletion(ctx context.Context, all Deletion) error {
	return onOwn(ctx, all, func(name string) error {
		if _, err := loadSpec(name); errors.Is(err, ErrUnknown) {
			return nil
		}
		return note(ctx, toDelete, name, nil)
	})
}

// Keep reverts MarkForDeletion.
func Keep(ctx context.Context, all Deletion) error {
	return onOwn(ctx, all, func(name string) error { return forget(ctx, toDelete, name) })
}

// MarkForReplacement marks the machines that are still marked for deletion to be made anew, and
// returns their names. A deletion of all has begun and was interrupted: the rest is half a cluster
// that no state knows any more.
func MarkForReplacement(ctx context.Context, all Deletion) (names []string, err error) {
	err = onOwn(ctx, all, func(name string) error {
		if !is(toDelete, name) {
			return nil
		}
		names = append(names, name)
		if err := record(ctx, name); err != nil {
			return err
		}
		return forget(ctx, toDelete, name)
	})
	return names, err
}

// Forget removes the notes about machines, once their stack is gone.
func Forget(ctx context.Context, names []string) error {
	return onOwn(ctx, Deletion{Machines: names}, func(name string) error {
		return errors.Join(forget(ctx, deleting, name), forget(ctx, toDelete, name))
	})
}

// onOwn calls do with the name of each machine, under its lock. It refuses a machine of another
// owner.
func onOwn(ctx context.Context, all Deletion, do func(name string) error) error {
	one := func(name string) error {
		unlock, err := host.Lock(ctx, "machine-"+name)
		if err != nil {
			return err
		}
		defer unlock()
		have, err := loadSpec(name)
		if err == nil && all.Owner != nil {
			err = Spec{Name: name, Owner: all.Owner}.mayHave(have)
		}
		if err != nil && !errors.Is(err, ErrUnknown) {
			return err
		}
		return do(name)
	}
	for _, name := range all.Machines {
		if err := one(name); err != nil {
			return err
		}
	}
	return nil
}

// noteDir holds the notes about machines outside their own files, because the notes outlive them.
// Like the locks they end with a reboot of this host.
const noteDir = "/run/strata/notes"

// The notes, by the suffix of their files' names.
const (
	// deleting: the deletion of the machine began, by its stack (DeleteOwn). Pulumi does that once
	// everything on the machine has left the state. An interrupted run then leaves half a machine,
	// or none, which the state still has; with the note the next run makes it anew. The note holds
	// the private half of the host key, because the new machine must have the key that the state
	// has pinned.
	deleting = "leaving"
	// toDelete: all machines of the stack are about to be deleted.
	toDelete = "condemned"
)

func notePath(note, name string) string { return filepath.Join(noteDir, name+"."+note) }

func is(note, name string) bool {
	_, err := os.Stat(notePath(note, name))
	return err == nil
}

// record writes the note that a machine is being deleted; the caller holds its lock.
func record(ctx context.Context, name string) error {
	if is(deleting, name) {
		return nil
	}
	key, err := machineDir(name).layer().PrivateHostKey()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("machine %s leaves: its host key: %w", name, err)
	}
	return note(ctx, deleting, name, key)
}

func note(ctx context.Context, what, name string, content []byte) error {
	return inState(ctx, func() error {
		if err := os.MkdirAll(noteDir, 0o700); err != nil {
			return fmt.Errorf("machine %s is %s: %w", name, what, err)
		}
		return host.WriteFile(notePath(what, name), content, 0o600)
	})
}

func forget(ctx context.Context, what, name string) error {
	return inState(ctx, func() error {
		if err := os.Remove(notePath(what, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("machine %s is %s no more: %w", name, what, err)
		}
		return host.RemoveIfEmpty(noteDir)
	})
}
