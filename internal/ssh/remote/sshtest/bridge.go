package sshtest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// bridgeScript replaces a client's script. A real shell executes it, but the Handler reads its
// input and writes its output and exit code, over the file descriptors of a bridge.
const bridgeScript = `cat >&9; cat <&7 >&2 & cat <&6; wait; read -r code <&8; exit "$code"`

// bridge connects a shell's file descriptors with a Handler.
type bridge struct {
	stdout, stderr, code *os.File // written by the Handler
	input                *os.File // read by the Handler
	shell                []*os.File
	gone                 chan struct{}
}

// newBridge returns a bridge, and passes the other ends of its pipes to a command.
func newBridge(cmd *exec.Cmd) (*bridge, error) {
	b := &bridge{gone: make(chan struct{})}
	for _, end := range []**os.File{&b.stdout, &b.stderr, &b.code} {
		read, write, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		*end, b.shell = write, append(b.shell, read)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	b.input, b.shell = read, append(b.shell, write)
	cmd.ExtraFiles = append(make([]*os.File, 3), b.shell...) // 6 to 9
	return b, nil
}

// started closes the ends that the started command has inherited.
func (b *bridge) started() {
	for _, file := range b.shell {
		_ = file.Close()
	}
}

// close tells the Handler that the script has ended.
func (b *bridge) close() {
	close(b.gone)
	_ = b.input.Close() // it interrupts a read of a script that never began
}

// relay forwards a client's bytes to the shell, and replaces the script by bridgeScript.
func (b *bridge) relay(from io.Reader, to io.Writer, handler Handler) {
	input := bufio.NewReader(from)
	for {
		line, err := input.ReadString('\n')
		if err != nil {
			return
		}
		var scriptBytes, inputBytes, seconds int
		if n, _ := fmt.Sscanf(line, "%d %d %d\n", &scriptBytes, &inputBytes, &seconds); n < 3 {
			_, _ = io.WriteString(to, line)
			continue
		}
		script := make([]byte, scriptBytes)
		if _, err := io.ReadFull(input, script); err != nil {
			return
		}
		// The script that starts sudo must run unchanged.
		if !strings.Contains(string(script), "exec sudo") {
			go b.handle(string(script), inputBytes, handler)
			script = []byte(bridgeScript)
		}
		_, _ = fmt.Fprintf(to, "%d %d %d\n%s", len(script), inputBytes, seconds, script)
		_, _ = io.Copy(to, input)
		return
	}
}

// handle calls the test's Handler once the script has begun and its input has arrived.
func (b *bridge) handle(script string, inputBytes int, handler Handler) {
	stdin := make([]byte, inputBytes)
	if _, err := io.ReadFull(b.input, stdin); err != nil {
		return
	}
	code := handler(Call{Script: script, Stdin: stdin, Stdout: b.stdout, Stderr: b.stderr,
		Gone: b.gone})
	_, _ = b.stdout.Close(), b.stderr.Close()
	_, _ = fmt.Fprintln(b.code, code)
	_ = b.code.Close()
}
