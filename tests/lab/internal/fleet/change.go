package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"strata/tests/lab/machines"
)

// Up creates the missing machines and starts the others. It also starts machines whose node was
// removed from the stack's configuration, because the next update must reach them to remove them. A
// repeated call completes an interrupted one.
func (f *Fleet) Up(ctx context.Context) error {
	image, err := f.image()
	if err != nil {
		return err
	}
	owner, err := f.ensureOwner()
	if err != nil {
		return err
	}
	left, err := f.left(owner)
	if err != nil {
		return err
	}
	var work []func() error
	for _, node := range f.hosts.Nodes {
		work = append(work, func() error {
			_, err := machines.Create(ctx, f.spec(node, image, owner), f.Log)
			return err
		})
	}
	for _, machine := range left {
		if machine.State != machines.Incomplete {
			work = append(work, func() error { return machines.Start(ctx, machine.Name, f.Log) })
		}
	}
	if err := atOnce(work); err != nil {
		return err
	}
	return f.show()
}

// Prune deletes the machines whose node was removed from the stack's configuration.
func (f *Fleet) Prune(ctx context.Context) error {
	owner, err := f.owner()
	if err != nil {
		return err
	}
	left, err := f.left(owner)
	if err != nil {
		return err
	}
	var names []string
	for _, machine := range left {
		names = append(names, machine.Name)
	}
	return f.remove(ctx, owner, names)
}

// Down deletes all machines of the stack, their bridge and the stack's keys. It fails if a machine
// is left.
func (f *Fleet) Down(ctx context.Context) error {
	owner, err := f.owner()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // without a login key there are no machines
	}
	if err != nil {
		return err
	}
	if err := f.hide(); err != nil {
		return err
	}
	own, err := f.own(owner)
	if err != nil {
		return err
	}
	var names []string
	for _, machine := range own {
		names = append(names, machine.Name)
	}
	for _, node := range f.hosts.Nodes { // List omits a machine whose creation has just begun
		if name := f.machine(node.Name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if err := f.remove(ctx, owner, names); err != nil {
		return err
	}
	if err := machines.ReleaseNetwork(ctx, f.network(), f.Log); err != nil {
		return err
	}
	own, err = f.own(owner)
	if err == nil && len(own) > 0 {
		err = fmt.Errorf("stack %s still has %d machines, the first is %s", f.stack, len(own), own[0].Name)
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(f.folder)
}

func (f *Fleet) remove(ctx context.Context, owner string, names []string) error {
	var work []func() error
	for _, name := range names {
		work = append(work, func() error { return machines.DeleteOwn(ctx, name, owner, f.Log) })
	}
	return atOnce(work)
}

// own returns the stack's machines. A machine belongs to the stack if its owner is the stack's
// login key.
func (f *Fleet) own(owner string) ([]machines.Status, error) {
	all, err := machines.List()
	return slices.DeleteFunc(all, func(machine machines.Status) bool {
		return strings.TrimSpace(machine.AuthorizedKey) != owner
	}), err
}

// left returns the stack's machines whose node is not in the configuration.
func (f *Fleet) left(owner string) ([]machines.Status, error) {
	own, err := f.own(owner)
	return slices.DeleteFunc(own, func(machine machines.Status) bool {
		return slices.ContainsFunc(f.hosts.Nodes, func(node node) bool { return f.machine(node.Name) == machine.Name })
	}), err
}

// atOnce runs all functions concurrently, and joins their errors.
func atOnce(work []func() error) error {
	failures := make([]error, len(work))
	var all sync.WaitGroup
	for i, do := range work {
		all.Go(func() { failures[i] = do() })
	}
	all.Wait()
	return errors.Join(failures...)
}
