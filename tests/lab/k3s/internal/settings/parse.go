package settings

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Parsed is the result of the command line, the environment and the configuration file.
type Parsed struct {
	// Texts, Lists and Bools have the values by a flag's long name.
	Texts map[string]string
	Lists map[string][]string
	Bools map[string]bool
	// Numbers has the integer values by a flag's long name. Flags that are not set are absent.
	Numbers map[string]int
	// Args is the merged argument list, with the configuration file first. K3s shows it, with
	// secrets masked, in the annotation k3s.io/node-args.
	Args []string
	// Warnings are messages to log: K3s's for unknown keys that a server skips, and the lab's for
	// flags without effect.
	Warnings []string
}

// Parse parses the arguments of the command "server" or "agent", without its name, and the
// configuration file. For an unknown key in the file, a server warns and an agent fails. An unknown
// flag on the command line is always an error (k3s-io/k3s pkg/configfilearg/parser.go).
func Parse(verb string, args []string) (*Parsed, error) {
	return parse(verb, flagsOf(verb == "server"), args)
}

// ParseSnapshot parses the arguments of etcd-snapshot. Like a server, it skips unknown keys in the
// configuration file.
func ParseSnapshot(args []string) (*Parsed, error) {
	return parse("etcd-snapshot", flagsOf(true), args)
}

func parse(verb string, specs []flagSpec, args []string) (*Parsed, error) {
	fromFile, err := readFile(configPath(args))
	if err != nil {
		return nil, err
	}
	p := &Parsed{Texts: map[string]string{}, Lists: map[string][]string{}, Bools: map[string]bool{}, Numbers: map[string]int{}}
	if verb != "agent" {
		fromFile = p.dropUnknown(specs, fromFile)
	}
	p.Args = append(fromFile, args...)
	fs := p.flagSet(verb, specs)
	if err := fs.Parse(p.Args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("invalid argument %q", fs.Arg(0))
	}
	return p, p.applyEnv(specs, fs)
}

func configPath(args []string) string {
	if env := os.Getenv("K3S_CONFIG_FILE"); env != "" {
		return env
	}
	for i, arg := range args {
		for _, name := range []string{"--config", "-c"} {
			if value, ok := strings.CutPrefix(arg, name+"="); ok {
				return value
			}
			if arg == name && i+1 < len(args) {
				return args[i+1]
			}
		}
	}
	return DefaultFile
}

func (p *Parsed) dropUnknown(specs []flagSpec, args []string) []string {
	known := map[string]bool{}
	for _, s := range specs {
		for _, name := range s.names {
			known[name] = true
		}
	}
	var kept []string
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if known[name] {
			kept = append(kept, arg)
			continue
		}
		p.Warnings = append(p.Warnings, fmt.Sprintf("Unknown flag --%s found in config.yaml, skipping", name))
	}
	return kept
}

func (p *Parsed) flagSet(verb string, specs []flagSpec) *flag.FlagSet {
	fs := flag.NewFlagSet(verb, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	for _, s := range specs {
		long := s.names[0]
		for _, name := range s.names {
			fs.Var(&value{parsed: p, name: long, kind: s.kind}, name, "")
		}
	}
	return fs
}

func (p *Parsed) applyEnv(specs []flagSpec, fs *flag.FlagSet) error {
	set := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { set[f.Value.(*value).name] = true })
	for _, s := range specs {
		name := s.names[0]
		if env := os.Getenv(s.env); s.env != "" && env != "" && !set[name] {
			if err := (&value{parsed: p, name: name, kind: s.kind}).Set(env); err != nil {
				return fmt.Errorf("could not parse %q as value for flag %s: %w", env, name, err)
			}
			set[name] = true
		}
		if set[name] && !implemented[name] {
			p.Warnings = append(p.Warnings, fmt.Sprintf("Flag --%s has no effect in the lab", name))
		}
	}
	return nil
}

// value stores the value of a flag under the flag's long name.
type value struct {
	parsed *Parsed
	name   string
	kind   kind
}

func (v *value) String() string   { return "" }
func (v *value) IsBoolFlag() bool { return v.kind == boolean }

// Set parses values like the standard library's flags, so that error texts equal K3s's.
func (v *value) Set(s string) error {
	switch v.kind {
	case text:
		v.parsed.Texts[v.name] = s
	case list:
		v.parsed.Lists[v.name] = append(v.parsed.Lists[v.name], s)
	case boolean:
		b, err := strconv.ParseBool(s)
		if err != nil {
			return fmt.Errorf("parse error")
		}
		v.parsed.Bools[v.name] = b
	case number:
		n, err := strconv.Atoi(s)
		if err != nil {
			return fmt.Errorf("parse error")
		}
		v.parsed.Numbers[v.name] = n
	}
	return nil
}
