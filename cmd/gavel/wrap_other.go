//go:build !unix

package main

import "os"

func newTTY(file *os.File) (*tty, func()) { return &tty{file: file}, func() {} }
