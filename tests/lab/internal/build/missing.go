package build

// keyOf returns a step's key: the digest of its own inputs and of the keys of the steps that it
// needs. A needed step without a key has no output, so it does not affect the key.
func keyOf(step Step, keyOfNeed func(name string) string) (string, error) {
	own, err := step.Key()
	if err != nil {
		return "", err
	}
	parts := []string{own}
	for _, need := range step.Needs {
		if key := keyOfNeed(need); key != "" {
			parts = append(parts, key)
		}
	}
	return Digest(parts...), nil
}

// Cached reports, for each step, whether dir has a cache entry for the step's current inputs. It
// omits steps without a key. It also omits steps whose inputs cannot be read, because the build
// reports the reason.
func Cached(dir string, steps []Step) map[string]bool {
	store, keys, cached := cache{dir: dir}, map[string]string{}, map[string]bool{}
	for _, step := range steps {
		if step.Key == nil {
			continue
		}
		key, err := keyOf(step, func(need string) string { return keys[need] })
		if err != nil {
			continue
		}
		keys[step.Name] = key
		_, found, err := store.load(step.Name, key)
		cached[step.Name] = found && err == nil
	}
	return cached
}

// missing reports which steps have work to do: steps whose key is not in the cache, and steps
// without a key that have something to fetch. It is only a forecast, because the final key is
// computed when the step starts.
func (r Runner) missing(steps []Step) map[string]bool {
	cached, missing := Cached(r.Dir, steps), map[string]bool{}
	for _, step := range steps {
		missing[step.Name] = step.Key != nil && !cached[step.Name] || step.Key == nil && step.Fetch != nil
	}
	return missing
}
