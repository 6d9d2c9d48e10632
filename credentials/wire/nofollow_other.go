//go:build !unix

package wire

// nofollow is missing. Nothing is lost: every file seems to be readable by others, and is refused.
const nofollow = 0
