package unwrap

import (
	"errors"

	"gavel/analyzer/hazard"
	"gavel/analyzer/programs"
)

// Tables are what is known of programs by their names. They never change.
type Tables struct {
	Wrappers *Wrappers       // programs that run others
	Builtins *Builtins       // commands that a shell runs by itself
	Hazards  *hazard.Table   // arguments that do more than they seem
	SafeBins hazard.SafeBins // filters, and how they read their arguments
	Code     *Code           // words that name code; without it nobody looks for any
	Steady   Steady          // programs that change no path
}

// NewTables takes over what a catalog says of programs. system are the directories in
// which only root changes programs, and steady the kinds of hazard with which a program
// that changes no path stays one.
func NewTables(catalog *programs.Catalog, system, steady []string) (g Tables, err error) {
	wrong := make([]error, 5)
	g.Wrappers, wrong[0] = newWrappers(catalog)
	g.Builtins, wrong[1] = newBuiltins(catalog)
	g.Hazards, wrong[2] = hazard.New(catalog)
	g.Code, wrong[3] = newCode(catalog, system)
	g.SafeBins, wrong[4] = hazard.NewSafeBins(catalog)
	g.Steady = newSteady(catalog, steady)
	return g, errors.Join(wrong...)
}

// Knows reports whether there is anything to say of a program by its name.
func (g *Tables) Knows(program string) bool {
	_, hazards := g.Hazards.Program(program)
	_, wrapper := g.Wrappers.programs[program]
	_, embeds := g.Wrappers.embeds[program]
	_, runner := g.Wrappers.runners[program]
	_, filter := g.SafeBins[program]
	return hazards != nil || wrapper || embeds || runner || filter || g.Steady.programs[program]
}
