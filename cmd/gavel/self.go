package main

import (
	"cmp"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gavel/analyzer/protected"
)

// defaultListen is where gavel serve listens by default.
const defaultListen = "127.0.0.1:8181"

// own tells the analyzer where Gavel keeps its files and listens. A server knows this itself.
// Any other command assumes the server of the same user with the default settings.
func (a *app) own() protected.Self {
	if known := a.self.Load(); known != nil {
		return *known
	}
	var flags serveFlags
	if err := a.findState(&flags); err != nil {
		flags.state = "" // then there is no default state directory to protect
	}
	self := a.selfOf(flags, []string{defaultListen})
	a.self.CompareAndSwap(nil, &self)
	return self
}

// protectToo tells the analyzer about more of Gavel's files than own knows; "" is ignored.
func (a *app) protectToo(files ...string) {
	self := a.own()
	self.Files = slices.Clone(self.Files)
	for _, name := range files {
		if name != "" {
			self.Files = append(self.Files, a.ownFiles(name, false)...)
		}
	}
	a.self.Store(&self)
}

// protect tells the analyzer where a server keeps its files and listens.
func (a *app) protect(flags serveFlags, listeners []net.Listener) {
	addresses := []string{}
	for _, ln := range listeners {
		if addr, ok := ln.Addr().(*net.TCPAddr); ok {
			addresses = append(addresses, addr.String())
		}
	}
	if len(addresses) == 0 && flags.listen != "off" {
		addresses = append(addresses, cmp.Or(flags.listen, defaultListen)) // until it is bound
	}
	self := a.selfOf(flags, addresses)
	a.self.Store(&self)
}

func (a *app) selfOf(flags serveFlags, addresses []string) protected.Self {
	self := protected.Self{Addresses: addresses}
	for _, name := range []string{flags.state, flags.socket, flags.approvals, flags.approvalsSocket, flags.log} {
		if name != "" && name != "-" && name != "off" {
			self.Files = append(self.Files, a.ownFiles(name, false)...)
		}
	}
	if a.policy != "" {
		self.Files = append(self.Files, a.ownFiles(a.policy, true)...)
	}
	self.Files = append(self.Files, ownPrograms(os.Executable())...)
	return self
}

// ownPrograms returns this program and those beside it that hosts run. A host whose hook is gone or
// replaced lets its calls run, and so does a shell that somebody else has written.
func ownPrograms(self string, err error) []protected.File {
	if err != nil {
		return nil
	}
	names := []string{self}
	if real, err := filepath.EvalSymlinks(self); err == nil && real != self {
		names = append(names, real)
	}
	var list []protected.File
	for _, name := range names {
		paths := []string{name}
		for _, other := range []string{"gavel", "gavel-hook", "gavel-run", "gavel-shell"} {
			paths = append(paths, filepath.Join(filepath.Dir(name), other))
		}
		for _, path := range paths {
			if file := (protected.File{Path: path, Program: true}); !slices.Contains(list, file) {
				list = append(list, file)
			}
		}
	}
	return list
}

// ownFiles returns a file or directory of Gavel's, by its given name and by its real path. A
// directory that contains the working directory of this process is marked as shared, because it
// holds other things too.
func (a *app) ownFiles(name string, policy bool) []protected.File {
	cwd, err := a.getwd()
	if !filepath.IsAbs(name) {
		if err != nil {
			return nil
		}
		name = filepath.Join(cwd, name)
	}
	name = filepath.Clean(name)
	list := []protected.File{{Path: name, Policy: policy}}
	if real, err := filepath.EvalSymlinks(name); err == nil && real != name {
		list = append(list, protected.File{Path: real, Policy: policy})
	}
	for i := range list {
		list[i].Shared = cwd != "" && strings.HasPrefix(cwd+"/", strings.TrimSuffix(list[i].Path, "/")+"/") && isDirectory(list[i].Path)
	}
	return list
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
