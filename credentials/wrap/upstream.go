package wrap

import (
	"io"
	"net"
	"sync"

	"gavel/credentials/wire"
)

// upstream writes control lines, one at a time.
type upstream struct {
	mu   sync.Mutex
	conn *net.UnixConn
}

func (u *upstream) send(message wire.Control) error {
	line, err := wire.EncodeLine(message)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	_, err = u.conn.Write(line)
	return err
}

// stdin passes standard input on.
func (u *upstream) stdin(in io.Reader) {
	buffer := make([]byte, wire.ChunkSize)
	for in != nil {
		n, err := in.Read(buffer)
		roomy(u.conn) // a signal must find room behind what is sent
		if n > 0 && u.send(wire.Control{Type: wire.ControlStdin, Data: buffer[:n]}) != nil {
			return
		}
		if err != nil {
			break
		}
	}
	_ = u.send(wire.Control{Type: wire.ControlStdin, EOF: true}) // without a daemon it is not needed
}

// events passes signals and sizes of the terminal on.
func (u *upstream) events(cfg *Config, ended <-chan struct{}) {
	var resized <-chan struct{}
	if cfg.Terminal != nil {
		resized = cfg.Terminal.Resized()
	}
	for {
		message := wire.Control{}
		select {
		case <-ended:
			return
		case name := <-cfg.Signals:
			message = wire.Control{Type: wire.ControlSignal, Signal: name}
		case <-resized:
			size, err := cfg.Terminal.Size()
			if err != nil {
				continue
			}
			message = wire.Control{Type: wire.ControlWindow, Rows: size.Rows, Cols: size.Cols}
		}
		if u.send(message) != nil {
			return
		}
	}
}
