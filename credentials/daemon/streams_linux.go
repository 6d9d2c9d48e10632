package daemon

import "os"

// counted counts the pieces that are read, and the streams that are waited for.
type counted struct {
	file *os.File
	of   *process
}

// Read implements io.Reader.
func (c counted) Read(b []byte) (int, error) {
	c.of.reading.Add(1)
	defer c.of.reading.Add(-1)
	n, err := c.file.Read(b)
	c.of.progress.Add(1)
	return n, err
}

// input hands standard input over. It waits while the tool does not read.
func (p *process) input(data []byte) {
	select {
	case p.feed <- data:
	case <-p.inEnd:
	}
}

// write writes standard input until it ends, and then what still waits.
func (p *process) write() {
	if p.in == nil {
		return
	}
	for reads, open := true, true; open; {
		select {
		case data := <-p.feed:
			reads = reads && p.writeOne(data) // what a tool does not read is taken all the same: signals come behind it
		case <-p.inEnd:
			for len(p.feed) > 0 {
				data := <-p.feed
				reads = reads && p.writeOne(data)
			}
			open = false
		}
	}
	if p.terminal != nil {
		_, _ = p.in.Write([]byte{4}) // the end of input, as a person types it
		return
	}
	_ = p.in.Close()
}

// writeOne reports whether the tool still reads.
func (p *process) writeOne(data []byte) bool {
	_, err := p.in.Write(data)
	return err == nil
}

// closeInput ends standard input.
func (p *process) closeInput() { p.inOnce.Do(func() { close(p.inEnd) }) }
