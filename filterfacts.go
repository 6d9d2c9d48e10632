package gavel

// Class is the parsed arguments of a filter. An option that takes two values occurs twice.
type Class struct {
	Program  string         `json:"program"` // the program whose options they are
	Options  []ClassOption  `json:"options" nil:"empty"`
	Operands []ClassOperand `json:"operands" nil:"empty"`
	Stdin    []int          `json:"stdin" nil:"empty"` // indexes in argv of words that are a lone dash
	// Complete is true if every word was read. Otherwise Unread is the first word that was
	// not, and nothing after it was examined.
	Complete bool    `json:"complete"`
	Unread   *Unread `json:"unread,omitempty"`
	// Filter is the program in the first operand, for a filter that has a language.
	Filter *Filter `json:"filter,omitempty"`
}

// ClassOption is an option under its full name.
type ClassOption struct {
	Name  string `json:"name"`
	Value string `json:"value" varies:"call"`
	// Form describes the value: none (there is none), plain, empty, path, glob, or sign for a
	// single / [ or ].
	Form  string `json:"form"`
	Index int    `json:"index" varies:"call"` // index of the word in argv
}

// ClassOperand is a word that is neither an option nor a lone dash.
type ClassOperand struct {
	Text  string `json:"text" varies:"call"`
	Form  string `json:"form"` // as in an option
	Index int    `json:"index" varies:"call"`
	Ended bool   `json:"ended"` // it comes after --
}

// Unread is an option that could not be read.
type Unread struct {
	Option string `json:"option"`
	Why    string `json:"why"`
	Index  int    `json:"index"`
}

// Filter is a program in the language of jq. Names are the functions, $variables and "texts"
// in it, and import and include for files that it would load; sorted.
type Filter struct {
	Parsed bool     `json:"parsed"`
	Names  []string `json:"names" nil:"empty"`
}
