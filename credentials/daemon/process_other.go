//go:build !linux

package daemon

import (
	"context"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// process does not exist on this system.
type process struct {
	outputs  []io.Reader
	progress atomic.Int64
	reading  atomic.Int64
}

func openDir(string) (*os.File, error)                            { return nil, errSystem }
func realPath(*os.File, string) (string, error)                   { return "", errSystem }
func start(command) (*process, error)                             { return nil, errSystem }
func (*process) wait(context.Context, time.Duration, func()) bool { return false }
func (*process) kill()                                            {}
func (*process) signal(string)                                    {}
func (*process) resize(uint16, uint16)                            {}
func (*process) input([]byte, func())                             {}
func waiting(*net.UnixConn) []byte                                { return nil }
func (*process) closeInput()                                      {}
func (*process) ended() bool                                      { return true }
func (*process) disturbed() bool                                  { return true }
func (*process) closeOutputs()                                    {}
func (*process) exitCode() int                                    { return -1 }
func (*process) free() error                                      { return nil }
