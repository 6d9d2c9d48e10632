// Package inherit says what the programs that this process starts get of its descriptors and of the
// signals that it ignores. Go marks the descriptors that it opens itself; the ones that a process was
// given are not marked.
package inherit
