package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// again is the pause before the retry of an apply that the webhook refused. admission is the
// timeout of all retries.
const again, admission = 250 * time.Millisecond, 3 * time.Minute

// tools are the script's tools; tests replace them.
type tools interface {
	// kubectl runs a command with stdin and returns its output.
	kubectl(ctx context.Context, stdin []byte, args ...string) (string, error)
	// install runs helm upgrade --install, without --wait.
	install(release release, values map[string]any) error
	// uninstall runs helm uninstall --wait.
	uninstall(release release) error
	// gate runs a gate of the stack, given its create command, stdin and environment.
	gate(ctx context.Context, create, stdin string, environment map[string]any) error
}

// runner runs the script's steps.
type runner struct {
	platform    platform
	tools       tools
	definitions []string // files
	log         io.Writer
}

// run runs the steps one after the other and prints their durations.
func (r *runner) run(ctx context.Context, steps []step) error {
	began := time.Now()
	for _, one := range steps {
		started := time.Now()
		if err := r.step(ctx, one); err != nil {
			return fmt.Errorf("%s (%s): %w", one.what, one.lines, err)
		}
		_, _ = fmt.Fprintf(r.log, "%2d %-32s lines %-8s %5.1fs\n", one.wait, one.what, one.lines,
			time.Since(started).Seconds())
	}
	_, _ = fmt.Fprintf(r.log, "all of it %.1fs\n", time.Since(began).Seconds())
	return nil
}

func (r *runner) step(ctx context.Context, one step) error {
	if one.definitions {
		if err := r.define(ctx); err != nil {
			return err
		}
	}
	if err := r.apply(ctx, one.before); err != nil {
		return err
	}
	for _, name := range one.install {
		if err := r.tools.install(r.platform[name].release()); err != nil {
			return fmt.Errorf("helm: %s: %w", name, err)
		}
	}
	if err := r.untilAdmitted(ctx, one.contested); err != nil {
		return err
	}
	if err := r.apply(ctx, one.apply); err != nil {
		return err
	}
	for _, watch := range one.watch {
		if output, err := r.tools.kubectl(ctx, nil, watch...); err != nil {
			return fmt.Errorf("kubectl %s: %w: %s", strings.Join(watch, " "), err, output)
		}
	}
	for _, name := range one.gates {
		if err := r.ask(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// ask runs a gate of the stack.
func (r *runner) ask(ctx context.Context, name string) error {
	command := r.platform[name].inputs
	create, _ := command["create"].(string)
	stdin, _ := command["stdin"].(string)
	environment, _ := command["environment"].(map[string]any)
	if err := r.tools.gate(ctx, create, stdin, environment); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// define applies the CRDs, server-side, because they are longer than an annotation may be.
func (r *runner) define(ctx context.Context) error {
	for _, file := range r.definitions {
		if output, err := r.tools.kubectl(ctx, nil, "apply", "--server-side", "-f",
			file); err != nil {
			return fmt.Errorf("%s: %w: %s", file, err, output)
		}
	}
	output, err := r.tools.kubectl(ctx, nil, "wait", "--for=condition=Established", "crd",
		"--all", limit)
	if err != nil {
		return fmt.Errorf("definitions: %w: %s", err, output)
	}
	return nil
}

// apply applies objects of the stack in one command.
func (r *runner) apply(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	items := []any{}
	for _, name := range names {
		items = append(items, r.platform[name].inputs)
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		return err
	}
	if output, err := r.tools.kubectl(ctx, text, "apply", "-f", "-"); err != nil {
		return fmt.Errorf("kubectl apply of %s: %w: %s", strings.Join(names, ", "), err, output)
	}
	return nil
}

// untilAdmitted applies objects, and retries while the API server cannot call their webhook.
func (r *runner) untilAdmitted(ctx context.Context, names []string) error {
	ctx, cancel := context.WithTimeout(ctx, admission)
	defer cancel()
	for refused := 0; ; refused++ {
		err := r.apply(ctx, names)
		if err == nil || !strings.Contains(err.Error(), "failed calling webhook") {
			if refused > 0 {
				_, _ = fmt.Fprintf(r.log,
					"   %s: refused %d times by a webhook that did not answer\n",
					strings.Join(names, ", "), refused)
			}
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(again): // nothing tells a user of kubectl when to retry
		}
	}
}
