// Package inherit says what the programs that this process starts get of its descriptors. Go marks
// those that it opens itself; the ones that a process was given are not marked.
package inherit
