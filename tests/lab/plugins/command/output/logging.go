package output

import "github.com/pulumi/pulumi-go-provider/infer"

// Logging selects the streams that are logged while a command runs. It does not affect the captured
// outputs. Nil selects both streams.
type Logging string

// Values of Logging.
const (
	Stdout          Logging = "stdout"
	Stderr          Logging = "stderr"
	StdoutAndStderr Logging = "stdoutAndStderr"
	None            Logging = "none"
)

// Values returns the accepted values for the schema.
func (Logging) Values() []infer.EnumValue[Logging] {
	return []infer.EnumValue[Logging]{
		{Name: string(Stdout), Value: Stdout, Description: "log stdout only"},
		{Name: string(Stderr), Value: Stderr, Description: "log stderr only"},
		{Name: string(StdoutAndStderr), Value: StdoutAndStderr, Description: "log both streams"},
		{Name: string(None), Value: None, Description: "log nothing"},
	}
}

func (l *Logging) stdout() bool { return l == nil || *l == Stdout || *l == StdoutAndStderr }

func (l *Logging) stderr() bool { return l == nil || *l == Stderr || *l == StdoutAndStderr }
