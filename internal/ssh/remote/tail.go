package remote

import "sync"

// maxTail bounds the bytes that tail keeps. The end of a script's messages has the cause of a
// failure.
const maxTail = 64 << 10

// tail is a Writer that keeps the last bytes. Two streams may write to it concurrently.
type tail struct {
	mutex sync.Mutex
	text  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > 2*maxTail {
		t.text = append([]byte(nil), t.text[len(t.text)-maxTail:]...)
	}
	return len(p), nil
}

// replace replaces the kept text.
func (t *tail) replace(text []byte) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text = append(t.text[:0], text...)
}

// String returns the kept text.
func (t *tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return string(t.text[max(0, len(t.text)-maxTail):])
}
