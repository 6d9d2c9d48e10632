package bundles

import (
	"strings"
	"time"

	"gavel"
)

// timeOf returns a moment by the clock of the policy's time zone. No built-in rule reads it.
func (s *Snapshot) timeOf(given gavel.TimeFacts) gavel.TimeFacts {
	at, err := time.Parse(time.RFC3339, given.At)
	if !s.ownRego || err != nil {
		return gavel.TimeFacts{}
	}
	local := at.In(s.zone)
	return gavel.TimeFacts{At: local.Format(time.RFC3339), Date: local.Format(time.DateOnly),
		Weekday: strings.ToLower(local.Weekday().String()), Clock: local.Format("15:04"), Zone: s.zone.String()}
}

// Zone returns the time zone of the policy's clock.
func (s *Snapshot) Zone() *time.Location { return s.zone }

// readZone reads tools.timeZone, which is UTC where nothing is written.
func (s *Snapshot) readZone() error {
	const path = "tools.timeZone"
	name, _ := at(s.document.Data, "tools", "timeZone").(string)
	zone, err := time.LoadLocation(name)
	if err == nil && name != "Local" {
		s.zone = zone
		return nil
	}
	return problems([]gavel.Problem{s.problemAt(finding{Path: path, Fix: "write a name of the IANA time zone database, such as Europe/Berlin, or UTC"},
		"unknown time zone \""+name+"\"")})
}
