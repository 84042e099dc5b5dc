package cli

import (
	"os"
	"sync"
)

// An output is stdout as the verbs write to it. It keeps the first failure, so that no verb ends well whose output is
// not whole, whether it looked at its writes or not.
type output struct {
	file *os.File

	mu  sync.Mutex
	err error // guarded by mu: the first failed write
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.err == nil {
			o.err = err
		}
	}
	return n, err
}

func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
