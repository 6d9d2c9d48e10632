// Package inherit says what the programs that this process starts inherit of its descriptors,
// of its capabilities, and of the signals that it was started to ignore or block. Go marks the descriptors that it opens itself;
// the ones that a process was given are not marked.
package inherit
